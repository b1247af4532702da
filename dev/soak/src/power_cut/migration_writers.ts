import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import {
  migrate,
  pruneMigration,
  downgradeMigration,
  verifyMigration,
} from "../../../../packages/migrator/src/index.ts";
import { type DataState, firstDifference, lookAt } from "../migrations/data_state.ts";
import { judgeData } from "../migrations/judge.ts";
import { type Scenario, scenarioNamed } from "../migrations/scenarios.ts";
import { copyOf } from "../system_calls/copy_of.ts";
import { mustBe } from "../operations/operation.ts";
import type { Writer } from "./writer.ts";

const STEPS = {
  // Only the combined database has values that need this decision.
  up: (data: string) => migrate(data, { nonFinite: "text" }),
  down: (data: string) => downgradeMigration(data),
  prune: (data: string) => pruneMigration(data),
};
type Step = keyof typeof STEPS;

/** Maximum number of folders that are migrated, one after the other, before the cut. */
const FOLDERS = 4;
const folderOf = (directory: string, number: number): string => join(directory, `folder-${number}`);

async function take(step: Step, folder: string): Promise<void> {
  const report = await STEPS[step](join(folder, "data"));
  mustBe(report.exit_code, 0, `${step}: ${JSON.stringify(report.notes)} ${JSON.stringify(report.databases)}`);
}

/** Content of a folder: before, and after each step. */
async function rehearse(folder: string, { states }: Scenario, steps: readonly Step[]): Promise<DataState[]> {
  const looked = (): DataState => lookAt(join(copyOf(folder, `${folder}-look`), "data"), states);
  try {
    const found = [looked()];
    for (const step of steps) {
      await take(step, folder);
      found.push(looked());
    }
    return found;
  } finally {
    for (const each of [folder, `${folder}-look`]) rmSync(each, { recursive: true, force: true });
  }
}

function migrating(row: string, name: string, ...steps: Step[]): Writer {
  const scenario = scenarioNamed(name);
  const place = (turn: number): { number: number; step: Step } => ({
    number: Math.floor((turn - 1) / steps.length),
    step: steps[(turn - 1) % steps.length] as Step,
  });
  // Set by layOut: all folders are copies of one, including the times of its directories.
  let states: DataState[] = [];
  return {
    row,
    process: "migrator",
    layOut: async (directory) => {
      const first = folderOf(directory, 0);
      mkdirSync(join(first, "data"), { recursive: true });
      scenario.layOut(join(first, "data"));
      for (let number = 1; number < FOLDERS; number += 1) copyOf(first, folderOf(directory, number));
      states = await rehearse(copyOf(first, join(directory, "rehearsed")), scenario, steps);
    },
    open: (directory) => async (turn) => {
      const { number, step } = place(turn);
      if (number >= FOLDERS) return false;
      await take(step, folderOf(directory, number));
      return true;
    },
    writesIn: async (directory, acknowledged) => {
      const faults: string[] = [];
      for (let number = 0; number < FOLDERS; number += 1) {
        const done = Math.min(Math.max(acknowledged - number * steps.length, 0), steps.length);
        const current = place(acknowledged + 1).number === number;
        const next = steps[done];
        const before = states[done] as DataState;
        const after = current && next !== undefined ? (states[done + 1] as DataState) : before;
        const folder = folderOf(directory, number);
        const copy = copyOf(folder, `${folder}-look`);
        faults.push(...judgeData({ before, after } as never, folder, lookAt(join(copy, "data"), scenario.states)));
        if (current && next !== undefined && faults.length === 0)
          faults.push(...(await finish(folder, next, after, scenario)));
      }
      if (faults.length > 0) throw new Error(faults.join("; "));
      return acknowledged;
    },
  };
}

/** Repeats the interrupted step, which must end as without the cut. */
async function finish(folder: string, step: Step, after: DataState, { states }: Scenario): Promise<string[]> {
  await take(step, folder);
  const verified = await verifyMigration(join(folder, "data"));
  const now = lookAt(join(copyOf(folder, `${folder}-look`), "data"), states);
  return [
    ...(verified.exit_code === 0 ? [] : [`verify ended with ${verified.exit_code}`]),
    ...[...after].flatMap(([name, text]) =>
      now.get(name) === text ? [] : [`after ${step} was repeated, ${name}: ${firstDifference(now.get(name), text)}`],
    ),
  ];
}

/** Migrations up and down. */
export const MIGRATION_WRITERS: readonly Writer[] = [
  migrating("migrate up and down, documented 15", "up documented-15-user-objects", "up", "down"),
  migrating("migrate up and down, field", "up field-a-user-objects", "up", "down"),
  migrating("migrate up and down, combined", "up combined-a --non-finite text", "up", "down"),
  migrating("archive, prune and restore states", "up states", "up", "prune", "down"),
];
