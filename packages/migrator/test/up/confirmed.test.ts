import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { downgradeIfConfirmed } from "../../src/commands/down.ts";
import { pruneIfConfirmed } from "../../src/commands/prune.ts";
import { migrateIfConfirmed } from "../../src/commands/up.ts";
import type { MigrationReport, ProgressEvent } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { freshFolder, stampOf } from "../support/folder.ts";
import { addRows, DOCUMENTED_15, makeDatabase } from "../../../../test/legacy/legacy_database.ts";
import { stateText } from "../../../../test/legacy/unusual_states.ts";

/** A database and a directory of states. */
function data(): { folder: string; path: string } {
  const folder = freshFolder();
  const path = join(folder, "m.db");
  makeDatabase(path, DOCUMENTED_15);
  addRows(path, "interactions", 20);
  mkdirSync(join(folder, "empathy_state"));
  writeFileSync(join(folder, "empathy_state", "a.json"), stateText("a"));
  return { folder, path };
}

const COMMANDS = [
  ["up", migrateIfConfirmed, {}, "inspect", ["migrated"]],
  ["down", downgradeIfConfirmed, {}, "inspect", ["downgraded"]],
  ["prune", pruneIfConfirmed, { pruneBackups: true }, "compare", ["pruned"]],
] as const;

test.each(COMMANDS)("%s looks at the data once, before it asks", async (name, command, options, stage, statuses) => {
  const { folder, path } = data();
  if (name !== "up") await migrate(folder);
  const stages: string[] = [];
  const plans: MigrationReport[] = [];
  const report = await command(
    folder,
    {
      ...options,
      onProgress: (event: ProgressEvent) => {
        if (event.path === path && event.done === null) stages.push(event.stage);
      },
    },
    async (plan) => {
      plans.push(plan);
      stages.push("asked");
    },
  );
  expect(report).toMatchObject({ command: name, exit_code: 0 });
  expect(report.databases.map(({ status }) => status)).toEqual(statuses);
  expect(plans).toMatchObject([{ dry_run: true, databases: [{ path }] }]);
  expect(stages.filter((one) => one === stage)).toHaveLength(1);
  expect(stages.indexOf(stage)).toBeLessThan(stages.indexOf("asked"));
});

test.each(COMMANDS)("%s changes nothing if the plan is not confirmed", async (name, command, options) => {
  const { folder } = data();
  if (name !== "up") await migrate(folder);
  const before = stampOf(folder);
  const decline = (): Promise<void> => Promise.reject(new Error("declined"));
  await expect(command(folder, options, decline)).rejects.toThrow("declined");
  expect(stampOf(folder)).toBe(before);
});

test("prune keeps the backup if the database lost a row while it asked", async () => {
  const { folder, path } = data();
  await migrate(folder);
  const report = await pruneIfConfirmed(path, { pruneBackups: true }, async () =>
    makeDatabase(path, "DELETE FROM interactions WHERE id = 3"),
  );
  expect(report).toMatchObject({
    exit_code: 3,
    databases: [{ status: "refused", removed: [], reason: expect.stringContaining("The backup was not removed") }],
  });
});
