import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { migrate } from "./migrate.ts";
import { settingsFrom } from "../../src/commands/settings.ts";
import { stateDirectoryReport, type StateDirectoryReport } from "../../src/core/report.ts";
import { Session } from "../../src/commands/session.ts";
import { planRestore, restoreStates } from "../../src/archive/restore/restore_states.ts";
import { freshFolder } from "./folder.ts";
import { makeUnusualStates } from "../../../../test/legacy/unusual_states.ts";
import { treeStamp } from "../../../../test/tree_stamp.ts";

/** An archived directory of states. */
export async function archived(layOut: (directory: string) => void = makeUnusualStates): Promise<string> {
  const directory = join(freshFolder(), "empathy_state");
  layOut(directory);
  expect(await migrate(directory)).toMatchObject({ exit_code: 0, state_directories: [{ status: "archived" }] });
  return directory;
}

/** Runs either function on a single directory. */
export async function ran(work: typeof restoreStates, directory: string): Promise<StateDirectoryReport> {
  const run = new Session(settingsFrom({}));
  const report = stateDirectoryReport(directory);
  try {
    await work(report, () => false, run);
  } finally {
    run[Symbol.dispose]();
  }
  return report;
}

/** Plans and restores: exactly the plan must be carried out. */
export async function restored(directory: string): Promise<StateDirectoryReport> {
  const before = existsSync(directory) ? treeStamp(directory) : undefined;
  const planned = await ran(planRestore, directory);
  expect(existsSync(directory) ? treeStamp(directory) : undefined).toBe(before);
  const done = await ran(restoreStates, directory);
  expect({ ...done, status: done.status === "restored" ? "planned" : done.status }).toEqual(planned);
  expect(readdirSync(join(directory, "..")).filter((name) => name.includes("perdura-tmp"))).toEqual([]);
  return done;
}
