import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { copyOf } from "../../../../dev/soak/src/system_calls/copy_of.ts";
import { planMigration, pruneMigration, downgradeMigration, verifyMigration } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { temporaryDirectory } from "../../src/archive/format/archive_place.ts";
import { freshFolder } from "../support/folder.ts";
import { makeUnusualStates, stateText } from "../../../../test/legacy/unusual_states.ts";
import { endOf, startProgram } from "../support/program.ts";
import { treeStamp } from "../../../../test/tree_stamp.ts";
import { triedSteps } from "./tried_steps.ts";

/** More than a thousand entries, so that there are steps within writing, comparing and removing. */
function makeManyStates(directory: string): void {
  makeUnusualStates(join(directory, "odd"));
  for (let user = 0; user < 1001; user += 1) {
    const path = join(directory, `user-${user}.json`);
    writeFileSync(path, stateText(`user-${user}`));
    utimesSync(path, user, user);
  }
}

/** In the order of their use. */
const COMMANDS = ["up", "prune", "down"] as const;
type Command = (typeof COMMANDS)[number];
const RUNS = { up: migrate, prune: pruneMigration, down: downgradeMigration };

const unfinished = (folder: string): string[] => readdirSync(folder).filter((name) => name.includes("perdura-tmp"));

describe("killed", () => {
  const templates = freshFolder();
  const folder = join(freshFolder(), "data");
  const directory = join(folder, "empathy_state");
  /** Number of steps of a complete run of each command. */
  const steps = { up: 0, prune: 0, down: 0 };
  let before: string;

  /** Each template is a folder for which its command is the next one. */
  beforeAll(async () => {
    makeManyStates(directory);
    before = treeStamp(directory);
    for (const command of COMMANDS) {
      copyOf(folder, join(templates, command));
      expect(await RUNS[command](folder, { onProgress: () => (steps[command] += 1) })).toMatchObject({ exit_code: 0 });
    }
  });

  // Every run is a separate process, and also syncs the writes of others.
  test.each(COMMANDS)(
    "at several steps of %s: the directory exists completely or not at all, and the next run finishes",
    async (command) => {
      expect(steps[command]).toBeGreaterThan(7);
      for (const step of triedSteps(steps[command])) {
        copyOf(join(templates, command), folder);
        expect(await endOf(startProgram("killed_states.ts", command, folder, String(step)))).toBe("SIGKILL");
        if (command === "up" || existsSync(directory)) expect(treeStamp(directory), `step ${step}`).toBe(before);
        await finish(command, folder, directory, before);
      }
    },
  );
});

async function finish(command: Command, folder: string, directory: string, before: string): Promise<void> {
  expect(await RUNS[command](folder)).toMatchObject({ exit_code: 0 });
  expect(unfinished(folder)).toEqual([]);
  expect(existsSync(directory)).toBe(command !== "prune");
  if (command !== "prune") expect(treeStamp(directory)).toBe(before);
  expect(await verifyMigration(folder)).toMatchObject({ exit_code: 0 });
}

describe("a directory that a killed prune renamed", () => {
  const template = join(freshFolder(), "data");
  beforeAll(async () => {
    makeUnusualStates(join(template, "empathy_state"));
    await migrate(template);
  });

  /** A directory between its renaming and its removal. */
  function left(): { folder: string; directory: string; hidden: string; before: string } {
    const folder = copyOf(template, join(freshFolder(), "data"));
    const directory = join(folder, "empathy_state");
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

  test("is not a state directory for plan, which does not change it", async () => {
    const { folder, hidden, before } = left();
    const report = await planMigration(folder);
    expect(report).toMatchObject({ exit_code: 0, state_directories: [] });
    expect(report.left_alone.map(({ path }) => path)).toContain(hidden);
    expect(treeStamp(hidden)).toBe(before);
  });

  test("is removed if the archive has all of its remaining entries", async () => {
    const { folder, directory, hidden } = left();
    rmSync(join(hidden, "alice.json"));
    expect(await pruneMigration(folder)).toMatchObject({ exit_code: 0 });
    expect([existsSync(hidden), existsSync(directory)]).toEqual([false, false]);
  });

  test("is renamed back if a program wrote into it at the last moment", async () => {
    const { folder, directory, hidden } = left();
    writeFileSync(join(hidden, "late.json"), stateText("late"));
    expect(await pruneMigration(folder)).toMatchObject({
      exit_code: 3,
      state_directories: [{ path: directory, status: "refused", reason: expect.stringContaining("late.json") }],
    });
    expect(existsSync(hidden)).toBe(false);
    expect(await migrate(folder)).toMatchObject({ state_directories: [{ status: "archived" }] });
  });

  test("is kept if its archive is missing, or if its name exists and the archive lacks an entry", async () => {
    const { folder, directory, hidden } = left();
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
