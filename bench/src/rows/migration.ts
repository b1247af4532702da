import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { migrate } from "@perdura/migrator";
import type { Side, Timed } from "../measure.ts";
import { copyByCp, layOut } from "../migration/files.ts";
import { type LegacyLayout, makeLegacyDatabase } from "../migration/legacy_data.ts";
import { builtProgram, migrateByProgram, type ProgramRun } from "../migration/program.ts";
import { migrateByHand } from "../peers/own_statements.ts";
import type { Row } from "../row.ts";

/** Makes the data once, and a fresh copy of it before each round. */
function copies(
  directory: string,
  layout: LegacyLayout,
  rows: number,
  side: string,
): { path: string; prepare: () => void } {
  const original = join(directory, `${layout}-${rows}.db`);
  if (!existsSync(original)) makeLegacyDatabase(original, layout, rows);
  const place = join(directory, side);
  mkdirSync(place);
  const path = join(place, "metrics.db");
  return { path, prepare: () => void layOut(original, place, "metrics.db") };
}

/** The program as it is published, with its backup and its proof. */
function byProgram(directory: string, layout: LegacyLayout, rows: number, part: "whole" | "locked"): Side {
  const { path, prepare } = copies(directory, layout, rows, "ours");
  const program = builtProgram();
  const runs: ProgramRun[] = [];
  const most = (of: "largest" | "together"): string => Math.max(...runs.map(({ memory }) => memory[of])).toFixed(0);
  return {
    name: "perdura-migrate up",
    prepare,
    round: async (): Promise<Timed> => {
      const run = await migrateByProgram(program, path);
      runs.push(run);
      return { milliseconds: run[part] };
    },
    remarks: () => [
      `memory: ${most("largest")} MB in the largest process, ${most("together")} MB in all of them together`,
    ],
  };
}

/** Smaller data would say more about starting a program than about migrating. */
const GOAL_FROM = 10_000_000;

/** Enough to see that everything works. */
const SMALL = 100_000;

const documented = (part: "whole" | "locked", what: string, atMost?: number): Row => ({
  name: part === "whole" ? "migrate-documented" : "migrate-documented-locked",
  what,
  peer: "cp and fsync of the file",
  rounds: 7,
  rows: SMALL,
  ...(atMost === undefined ? {} : { atMost, goalFrom: GOAL_FROM }),
  sides: (directory, rows) => {
    const { path, prepare } = copies(directory, "documented-15", rows, "peer");
    return {
      ours: byProgram(directory, "documented-15", rows, part),
      peer: {
        name: "cp and fsync",
        prepare,
        round: () => {
          copyByCp(path, `${path}.bak`);
          return 1;
        },
      },
    };
  },
});

/** How long the change itself took, between the copy and the proof. */
function change(directory: string, rows: number, side: string): Side {
  const { path, prepare } = copies(directory, "documented-15", rows, side);
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

/** Bringing data from before 16 to 16, against what nobody can do without. */
export const MIGRATION_ROWS: Row[] = [
  documented("locked", "the documented layout, while others have to wait: from the lock to the end of the program", 2),
  documented(
    "whole",
    "the documented layout, the whole program: start, search, check of every page and row, synced backup, change, proof",
    2,
  ),
  {
    name: "migrate-size",
    what: "the change of the documented layout itself",
    peer: "the same at a tenth of the rows",
    rounds: 7,
    atMost: 2,
    rows: SMALL,
    sides: (directory, rows) => ({
      ours: change(directory, rows, "ours"),
      peer: change(directory, Math.ceil(rows / 10), "peer"),
    }),
  },
  {
    name: "migrate-field-a",
    what: "field layout A, the whole program",
    peer: "SQLite's own statements with a synced copy and the same comparison",
    rounds: 5,
    atMost: 1.3,
    goalFrom: GOAL_FROM,
    rows: SMALL,
    sides: (directory, rows) => {
      const { path, prepare } = copies(directory, "field-a", rows, "peer");
      return {
        ours: byProgram(directory, "field-a", rows, "whole"),
        peer: {
          name: "statements",
          prepare,
          round: () => {
            migrateByHand(path);
            return 1;
          },
        },
      };
    },
  },
];
