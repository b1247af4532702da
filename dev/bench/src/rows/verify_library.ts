import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { writeInvalidFile } from "../library/data.ts";
import type { Side, Timed } from "../measure/measure.ts";
import { builtProgram, type ProgramRun, verifyByProgram } from "../measure/published_programs.ts";
import type { Place, Row } from "../row.ts";

const tenth = (rows: number): number => Math.ceil(rows / 10);

const libraryOf = (directory: string, patterns: number): string =>
  join(directory, `${patterns}-patterns`, "library.json");

/** A library that pre-16 programs wrote, and its backup. */
function makeMigrated({ directory }: Place, patterns: number): void {
  const path = libraryOf(directory, patterns);
  mkdirSync(join(path, ".."));
  writeInvalidFile(path, patterns);
  const words = ["up", "--yes", "--quiet", "--non-finite", "null", path];
  const { status, stderr } = spawnSync(process.execPath, [builtProgram("perdura-migrate"), ...words]);
  if (status !== 0) throw new Error(`${words.join(" ")} ended with ${String(status)}: ${stderr.toString()}`);
}

function verify({ directory }: Place, patterns: number): Side {
  const program = builtProgram("perdura-migrate");
  const runs: ProgramRun[] = [];
  return {
    name: `${patterns} patterns`,
    round: async (): Promise<Timed> => {
      const run = await verifyByProgram(program, libraryOf(directory, patterns));
      runs.push(run);
      return { milliseconds: run.whole / patterns };
    },
    memory: () => Math.max(...runs.map(({ memory }) => memory.largest)),
    remarks: () => ["our memory is that of the largest process"],
  };
}

export const VERIFY_LIBRARY: Row = {
  name: "verify-library",
  what: "compare a migrated JSON library with its backup, per pattern",
  peer: "the same at a tenth of the patterns",
  rounds: 3,
  rows: 10_000,
  mostRows: 1_000_000,
  data: (place) => [place.rows, tenth(place.rows)].forEach((patterns) => makeMigrated(place, patterns)),
  sides: {
    ours: (place) => verify(place, place.rows),
    peer: (place) => verify(place, tenth(place.rows)),
  },
};
