import { renameSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { layOutStates } from "../../../../fixtures/lay_out.ts";
import { FIELD_A, makeDatabase } from "../../../../test/legacy/legacy_database.ts";
import { migrate, type ProgressEvent } from "../../src/index.ts";
import { freshFolder } from "../support/folder.ts";

/** Takes an item away when a stage of it begins, as another migrator or its owner may do. */
function takenAwayAt(item: string, stage: ProgressEvent["stage"]): (event: ProgressEvent) => void {
  let isGone = false;
  return (event) => {
    if (isGone || event.stage !== stage || event.path !== item) return;
    isGone = true;
    renameSync(item, `${item}-away`);
  };
}

test("a state directory that is removed while it is read is in use, and needs no decision", async () => {
  const folder = freshFolder();
  const states = join(folder, "empathy_state");
  layOutStates("field", states);
  const report = await migrate(folder, { onProgress: takenAwayAt(states, "inspect") });
  expect(report.state_directories).toMatchObject([
    { status: "in_use", reason: expect.stringContaining("was removed while it was read") },
  ]);
  expect(report.exit_code).toBe(5);
});

test("so is a database", async () => {
  const path = join(freshFolder(), "metrics.db");
  makeDatabase(path, FIELD_A);
  const report = await migrate(path, { onProgress: takenAwayAt(path, "inspect") });
  expect(report).toMatchObject({ exit_code: 5, databases: [{ status: "in_use" }] });
});
