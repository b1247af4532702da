import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { builtProgram, migrateByProgram, type ProgramRun } from "../measure/published_programs.ts";
import { copyDurably } from "../peers/durable_copy.ts";
import type { Place, Row } from "../row.ts";
import type { Side, Timed } from "../measure/measure.ts";

/** Enough to check that everything works. */
const SMALL = 10_000;

/** The peer takes the same time for every file, so that some of them are enough. */
const COPIED = 2000;

/** Fewer files would measure the start of a program rather than archiving. */
const GOAL_FROM = 100_000;

/** State files like those of the field programs, about 500 bytes each. */
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

const statesOf = ({ directory }: Place): string => join(directory, "empathy_state");

function byProgram(place: Place): Side {
  const program = builtProgram("perdura-migrate");
  const runs: ProgramRun[] = [];
  return {
    name: "perdura-migrate up",
    prepare: () => {
      for (const name of readdirSync(place.directory))
        if (name.endsWith(".sqlar") || name.endsWith(".json")) rmSync(join(place.directory, name));
    },
    round: async (): Promise<Timed> => {
      const run = await migrateByProgram(program, statesOf(place));
      runs.push(run);
      return { milliseconds: run.whole / place.rows };
    },
    memory: () => Math.max(...runs.map(({ memory }) => memory.largest)),
    remarks: () => ["our memory is that of the largest process"],
  };
}

function byCopies(place: Place): Side {
  const states = statesOf(place);
  const names = readdirSync(states).slice(0, COPIED);
  const copies = join(place.directory, "copies");
  return {
    name: "durable copies",
    prepare: () => {
      rmSync(copies, { recursive: true, force: true });
      mkdirSync(copies);
    },
    round: () => {
      for (const name of names) copyDurably(join(states, name), copies, name);
      return names.length;
    },
  };
}

/** Archives a directory of states: the whole program, with its plan, its comparison byte by byte and its syncs. */
export const ARCHIVE_STATES: Row = {
  name: "archive-states",
  what: "archive a directory of states, the whole program, per file",
  peer: "write, fsync, rename and fsync of the directory for every file",
  rounds: 5,
  atMost: 1 / 20,
  goalFrom: GOAL_FROM,
  rows: SMALL,
  mostRows: GOAL_FROM,
  data: (place) => makeStates(statesOf(place), place.rows),
  sides: { ours: byProgram, peer: byCopies },
};
