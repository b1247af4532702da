import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Timed } from "../measure.ts";
import { builtProgram, migrateByProgram, type ProgramRun } from "../migration/program.ts";
import { copyDurably } from "../peers/durable_copy.ts";
import type { Row } from "../row.ts";

/** Enough to see that everything works. */
const SMALL = 10_000;

/** The peer takes the same time for every file, so some of them tell it. */
const COPIED = 2000;

/** Fewer files would say more about starting a program than about archiving. */
const GOAL_FROM = 100_000;

/** State files as the programs of the field wrote them, about 500 bytes each. */
function makeStates(directory: string, count: number): void {
  mkdirSync(directory);
  for (let user = 0; user < count; user += 1) {
    const state = {
      user_id: `user-${user}`,
      trust_level: (user % 101) / 100,
      total_interactions: user,
      successful_interventions: user >> 1,
      failed_interventions: user >> 2,
      session_start: "2025-01-01T10:00:00.123456",
      trust_trajectory: Array.from({ length: 5 + (user % 20) }, (_, step) => ((step * 37 + user) % 100) / 100),
      shared_context: { topic: `t${user % 7}` },
      saved_at: "2025-02-02T10:00:00.5",
    };
    writeFileSync(join(directory, `user-${user}.json`), JSON.stringify(state, null, 2));
  }
}

/** A directory of states into an archive: the whole program, with its plan, its comparison byte by byte and its syncs. */
export const ARCHIVE_STATES: Row = {
  name: "archive-states",
  what: "archive a directory of states, the whole program, per file",
  peer: "write, fsync, rename and fsync of the directory for every file",
  rounds: 5,
  atMost: 1 / 20,
  goalFrom: GOAL_FROM,
  rows: SMALL,
  sides: (directory, rows) => {
    const states = join(directory, "empathy_state");
    makeStates(states, rows);
    const names = readdirSync(states).slice(0, COPIED);
    const copies = join(directory, "copies");
    const program = builtProgram();
    const runs: ProgramRun[] = [];
    return {
      ours: {
        name: "perdura-migrate up",
        prepare: () => {
          for (const name of readdirSync(directory))
            if (name.endsWith(".sqlar") || name.endsWith(".json")) rmSync(join(directory, name));
        },
        round: async (): Promise<Timed> => {
          const run = await migrateByProgram(program, states);
          runs.push(run);
          return { milliseconds: run.whole / rows };
        },
        remarks: () => {
          const most = Math.max(...runs.map(({ memory }) => memory.largest)).toFixed(0);
          return [`memory: ${most} MB in the largest process`];
        },
      },
      peer: {
        name: "durable copies",
        prepare: () => {
          rmSync(copies, { recursive: true, force: true });
          mkdirSync(copies);
        },
        round: () => {
          for (const name of names) copyDurably(join(states, name), copies, name);
          return names.length;
        },
      },
    };
  },
};
