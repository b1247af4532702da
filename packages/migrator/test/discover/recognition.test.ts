import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { fixture } from "../../../../fixtures/paths.ts";
import { planMigration } from "../../src/index.ts";
import { freshFolder } from "../support/folder.ts";
import { layOutLegacy } from "../../../../test/legacy/legacy_fixtures.ts";

/** A fresh copy of a database of the fixtures. */
const copyOf = (name: string): string => layOutLegacy(name, freshFolder());

test("reports a broken user view and migrates", async () => {
  const { exit_code, databases } = await planMigration(copyOf("field-a-unparsable-views"));
  expect(exit_code).toBe(0);
  expect(databases[0]?.notes).toContainEqual(expect.stringContaining("the view my_broken does not work"));
});

test("requires a decision about invalid rows", async () => {
  const { exit_code, databases } = await planMigration(copyOf("field-a-invalid"));
  expect(exit_code).toBe(3);
  expect(databases[0]?.reason).toContain("--invalid-rows quarantine");
  expect(databases[0]?.unusual_rows.find(({ kind }) => kind === "level_out_of_range")).toMatchObject({
    rows: 5,
    blocks: true,
    row_ids: ["7", "8", "9", "12", "30"],
  });
});

test("leaves an empty file alone", async () => {
  const path = join(freshFolder(), "metrics.db");
  copyFileSync(fixture("legacy", "zero-byte.db"), path);
  const { exit_code, left_alone: leftAlone } = await planMigration(path);
  expect({ exit_code, leftAlone }).toEqual({
    exit_code: 0,
    leftAlone: [{ path, reason: "an empty file (0 bytes)" }],
  });
});
