import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, test } from "vitest";
import { migrate, planMigration, pruneMigration, revertMigration, verifyMigration } from "../../src/index.ts";
import { temporaryDirectory } from "../../src/states/temporary_directory.ts";
import { freshFolder } from "../support/folder.ts";
import { makeOddStates, stateText } from "../support/odd_states.ts";
import { endOf, runBeside, startProgram } from "../support/program.ts";
import { treeStamp } from "../support/tree_stamp.ts";
import { triedSteps } from "./tried_steps.ts";

/** Some thousands of states, so that there are steps in the middle of writing, comparing and removing. */
function makeManyStates(directory: string): void {
  makeOddStates(join(directory, "odd"));
  for (let user = 0; user < 1100; user += 1) {
    const path = join(directory, `user-${user}.json`);
    writeFileSync(path, stateText(`user-${user}`));
    utimesSync(path, user, user);
  }
}

const COMMANDS = ["up", "prune", "down"] as const;
type Command = (typeof COMMANDS)[number];

/** A folder in which the command is what comes next. */
async function laidOut(command: Command): Promise<{ folder: string; directory: string; before: string }> {
  const folder = freshFolder();
  const directory = join(folder, "empathy_state");
  makeManyStates(directory);
  const before = treeStamp(directory);
  if (command !== "up") expect((await migrate(folder)).exit_code).toBe(0);
  if (command === "down") expect((await pruneMigration(folder)).exit_code).toBe(0);
  return { folder, directory, before };
}

const unfinished = (folder: string): string[] => readdirSync(folder).filter((name) => name.includes("perdura-tmp"));

describe.each(COMMANDS)("%s is killed", (command) => {
  // Every run is a process of its own, and syncs what others write as well.
  test("at many a step: the directory is wholly there or wholly gone, and the next run finishes", async () => {
    const { folder, directory, before } = await laidOut(command);
    const template = `${folder}-template`;
    renameSync(folder, template);
    const steps = Number(runBeside("killed_states.ts", command, copyOf(template, folder), "0"));
    expect(steps).toBeGreaterThan(7);
    for (const step of triedSteps(steps)) {
      copyOf(template, folder);
      expect(await endOf(startProgram("killed_states.ts", command, folder, String(step)))).toBe("SIGKILL");
      if (command === "up" || existsSync(directory)) expect(treeStamp(directory), `step ${step}`).toBe(before);
      await finish(command, folder, directory, before);
    }
    rmSync(template, { recursive: true });
  });
});

/** Times to the nanosecond and all. */
function copyOf(template: string, folder: string): string {
  rmSync(folder, { recursive: true, force: true });
  expect(spawnSync("cp", ["-a", template, folder]).status).toBe(0);
  return folder;
}

async function finish(command: Command, folder: string, directory: string, before: string): Promise<void> {
  const run = { up: migrate, prune: pruneMigration, down: revertMigration }[command];
  expect(await run(folder)).toMatchObject({ exit_code: 0 });
  expect(unfinished(folder)).toEqual([]);
  expect(existsSync(directory)).toBe(command !== "prune");
  if (command !== "prune") expect(treeStamp(directory)).toBe(before);
  expect(await verifyMigration(folder)).toMatchObject({ exit_code: 0 });
}

describe("a directory that a killed prune left under another name", () => {
  /** As it is between the renaming and the removal. */
  async function left(): Promise<{ folder: string; directory: string; hidden: string; before: string }> {
    const folder = freshFolder();
    const directory = join(folder, "empathy_state");
    makeOddStates(directory);
    await migrate(folder);
    const before = treeStamp(directory);
    const hidden = temporaryDirectory("pruned", directory).replace(
      /-\d+-([0-9a-f]+\.perdura-tmp)$/,
      `-${deadPid()}-$1`,
    );
    renameSync(directory, hidden);
    return { folder, directory, hidden, before };
  }

  function deadPid(): number {
    return spawnSync("true").pid;
  }

  test("is no state directory for plan, and stays as it is there", async () => {
    const { folder, hidden, before } = await left();
    const report = await planMigration(folder);
    expect(report).toMatchObject({ exit_code: 0, state_directories: [] });
    expect(report.left_alone.map(({ path }) => path)).toContain(hidden);
    expect(treeStamp(hidden)).toBe(before);
  });

  test("is removed when the archive has all that is left of it", async () => {
    const { folder, directory, hidden } = await left();
    rmSync(join(hidden, "alice.json"));
    expect(await pruneMigration(folder)).toMatchObject({ exit_code: 0 });
    expect([existsSync(hidden), existsSync(directory)]).toEqual([false, false]);
  });

  test("gets its name back when somebody wrote into it at the last moment", async () => {
    const { folder, directory, hidden } = await left();
    writeFileSync(join(hidden, "late.json"), stateText("late"));
    expect(await pruneMigration(folder)).toMatchObject({
      exit_code: 3,
      state_directories: [{ path: directory, status: "refused", reason: expect.stringContaining("late.json") }],
    });
    expect(existsSync(hidden)).toBe(false);
    expect(await migrate(folder)).toMatchObject({ state_directories: [{ status: "archived" }] });
  });

  test("stays when its archive is gone, or its name is taken and the archive has not all of it", async () => {
    const { folder, directory, hidden } = await left();
    mkdirSync(directory);
    writeFileSync(join(hidden, "late.json"), stateText("late"));
    await pruneMigration(folder);
    expect(existsSync(join(hidden, "late.json"))).toBe(true);
    rmSync(directory, { recursive: true });
    rmSync(`${directory}.v15.sqlar`);
    await pruneMigration(folder);
    expect(readdirSync(folder)).toContain(basename(hidden));
  });
});
