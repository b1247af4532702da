import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { migrate } from "@perdura/migrator";
import { copyByCp, layOut } from "../migration/files.ts";
import { type LegacyLayout, makeLegacyDatabase } from "../migration/legacy_data.ts";
import {
  builtProgram,
  downgradeByProgram,
  FROM_LOCK,
  migrateByProgram,
  type PartOfRun,
  type ProgramRun,
  WHOLE,
} from "../measure/published_programs.ts";
import { migrateByHand } from "../peers/own_statements.ts";
import type { Place, Row } from "../row.ts";
import type { Side, Timed } from "../measure/measure.ts";

const originalOf = ({ directory }: Place, layout: LegacyLayout, rows: number): string =>
  join(directory, `${layout}-${rows}.db`);

const data =
  (layout: LegacyLayout) =>
  (place: Place): void =>
    makeLegacyDatabase(originalOf(place, layout, place.rows), layout, place.rows);

/** A fresh copy of the data before each round. */
function copies(
  place: Place,
  layout: LegacyLayout,
  side: string,
  rows = place.rows,
): { path: string; prepare: () => void } {
  const original = originalOf(place, layout, rows);
  const directory = join(place.directory, side);
  mkdirSync(directory);
  const path = join(directory, "metrics.db");
  return { path, prepare: () => void layOut(original, directory, "metrics.db") };
}

/** The published program, with its backup and its proof. */
function byProgram(place: Place, layout: LegacyLayout, part: PartOfRun, lay = copies(place, layout, "ours")): Side {
  const { path, prepare } = lay;
  const program = builtProgram("perdura-migrate");
  const runs: ProgramRun[] = [];
  const most = (of: "largest" | "together"): number => Math.max(...runs.map(({ memory }) => memory[of]));
  return {
    name: "perdura-migrate up",
    prepare,
    round: async (): Promise<Timed> => {
      const run = await migrateByProgram(program, path);
      runs.push(run);
      return { milliseconds: part(run) };
    },
    memory: () => most("largest"),
    remarks: () => [`our memory is that of the largest process; all together have ${most("together").toFixed(0)} MB`],
  };
}

/** The way back, from the start of the program to its end. */
function back(place: Place, layout: LegacyLayout): Side {
  const { path, prepare } = copies(place, layout, "ours");
  const program = builtProgram("perdura-migrate");
  return {
    name: "perdura-migrate down",
    prepare: () => {
      prepare();
      const { status, stderr } = spawnSync(process.execPath, [program, "up", "--yes", "--quiet", path]);
      if (status !== 0) throw new Error(`up ended with ${String(status)}: ${stderr.toString()}`);
    },
    round: async (): Promise<Timed> => ({ milliseconds: (await downgradeByProgram(program, path)).whole }),
    memory: () => null,
  };
}

const backRow = (layout: LegacyLayout): Row => ({
  name: `migrate-down-${layout}`,
  what: `down of the layout ${layout}, the whole program`,
  peer: "up of the same file, until the data are migrated",
  rounds: 5,
  atMost: 3,
  rows: SMALL,
  data: data(layout),
  sides: {
    ours: (place) => back(place, layout),
    peer: (place) => byProgram(place, layout, WHOLE, copies(place, layout, "peer")),
  },
});

/** Smaller data would measure the start of a program rather than the migration. */
const GOAL_FROM = 1_000_000;

/** Enough to check that everything works. */
const SMALL = 100_000;

/**
 * Two databases: then no backup is made before the lock, since the second database might need a decision. So the time
 * after the lock contains the backup, the change and the proof, with their syncs.
 */
function beside(place: Place): { path: string; prepare: () => void } {
  const { path, prepare } = copies(place, "documented-15", "ours");
  const directory = dirname(path);
  return {
    path: directory,
    prepare: () => {
      prepare();
      // Of another layout, because a database whose rows are all in the other one counts as its copy.
      makeLegacyDatabase(join(directory, "other.db"), "field-a", 2);
    },
  };
}

const documented = (name: string, what: string, ours: Row["sides"]["ours"], atMost?: number): Row => ({
  name,
  what: `the documented layout, ${what}`,
  peer: "cp and fsync of the file",
  rounds: 7,
  rows: SMALL,
  ...(atMost === undefined ? {} : { atMost, goalFrom: GOAL_FROM }),
  data: data("documented-15"),
  sides: {
    ours,
    peer: (place) => {
      const { path, prepare } = copies(place, "documented-15", "peer");
      return {
        name: "cp and fsync",
        prepare,
        round: () => {
          copyByCp(path, `${path}.bak`);
          return 1;
        },
        memory: () => null,
      };
    },
  },
});

/** Duration of the change itself, between the backup and the proof. */
function change(place: Place, rows: number, side: string): Side {
  const { path, prepare } = copies(place, "documented-15", side, rows);
  return {
    name: `${rows} rows`,
    prepare,
    round: async () => {
      const at = new Map<string, number>();
      const report = await migrate(path, {
        onProgress: ({ stage }) => void (at.has(stage) || at.set(stage, performance.now())),
      });
      if (report.exit_code !== 0) throw new Error(report.summary);
      return { milliseconds: (at.get("verify") as number) - (at.get("change") as number) };
    },
  };
}

const tenth = (rows: number): number => Math.ceil(rows / 10);

/** Migration from pre-16 to 16, compared with the work that no solution can avoid. */
export const MIGRATION_ROWS: Row[] = [
  documented(
    "migrate-documented",
    "synced backup, change, proof and commit, when the checks are done",
    (place) => byProgram(place, "documented-15", FROM_LOCK, beside(place)),
    2,
  ),
  documented(
    "migrate-documented-locked",
    "while others have to wait: from the lock to the end of the program, the backup made before",
    (place) => byProgram(place, "documented-15", FROM_LOCK),
    2,
  ),
  documented(
    "migrate-documented-whole",
    "the whole program: start, search, check of every page and row, synced backup, change, proof",
    (place) => byProgram(place, "documented-15", WHOLE),
    4,
  ),
  {
    name: "migrate-size",
    what: "the change of the documented layout itself",
    peer: "the same at a tenth of the rows",
    rounds: 7,
    atMost: 2,
    rows: SMALL,
    data: (place) => [place.rows, tenth(place.rows)].forEach((rows) => data("documented-15")({ ...place, rows })),
    sides: {
      ours: (place) => change(place, place.rows, "ours"),
      peer: (place) => change(place, tenth(place.rows), "peer"),
    },
  },
  {
    name: "migrate-field-a",
    what: "field layout A, the whole program",
    peer: "SQLite's own statements with a synced copy and the same comparison",
    rounds: 5,
    atMost: 1.2,
    goalFrom: GOAL_FROM,
    rows: SMALL,
    data: data("field-a"),
    sides: {
      ours: (place) => byProgram(place, "field-a", WHOLE),
      peer: (place) => {
        const { path, prepare } = copies(place, "field-a", "peer");
        return {
          name: "statements",
          prepare,
          round: () => {
            migrateByHand(path);
            return 1;
          },
        };
      },
    },
  },
  backRow("documented-15"),
  backRow("field-a"),
];
