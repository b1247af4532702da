import { copyFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { layOutStates } from "../../../../fixtures/lay_out.ts";
import { fixture } from "../../../../fixtures/paths.ts";
import { FIELD_A, makeDatabase } from "../../../../test/legacy/legacy_database.ts";
import { migrate, migrationStatus, planMigration, type ProgressEvent } from "../../src/index.ts";
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

/** Items of each kind, laid out in a folder; returns their path. */
const ITEMS: Record<string, (folder: string) => string> = {
  "a state directory": (folder) => {
    layOutStates("field", join(folder, "empathy_state"));
    return join(folder, "empathy_state");
  },
  "a database": (folder) => {
    makeDatabase(join(folder, "metrics.db"), FIELD_A);
    return join(folder, "metrics.db");
  },
  "a library": (folder) => {
    copyFileSync(fixture("libraries", "typical.json"), join(folder, "library.json"));
    return join(folder, "library.json");
  },
};
const COMMANDS = { up: migrate, plan: planMigration, status: migrationStatus };
// A directory that is gone has a status: that of its archive.
const CASES = Object.entries(COMMANDS).flatMap(([command, run]) =>
  Object.entries(ITEMS)
    .filter(([item]) => command !== "status" || item !== "a state directory")
    .map(([item, layOut]) => ({ command, run, item, layOut })),
);

test.each(CASES)(
  "$command: $item that is removed while it is read is in use, and needs no decision",
  async ({ run, layOut }) => {
    const path = layOut(freshFolder());
    const report = await run(path, { onProgress: takenAwayAt(path, "inspect") });
    expect([...report.databases, ...report.state_directories]).toMatchObject([
      { status: "in_use", reason: expect.stringContaining("was removed while it was read") },
    ]);
    expect(report.exit_code).toBe(5);
  },
);
