import { join } from "node:path";
import { expect, test } from "vitest";
import { downgradeMigration } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { freshFolder } from "../support/folder.ts";
import { addRows, FIELD_A, makeDatabase } from "../../../../test/legacy/legacy_database.ts";
import { wholeContent } from "../support/whole_content.ts";

test("an interruption at any step changes nothing, and the next run finishes", async () => {
  const path = join(freshFolder(), "m.db");
  makeDatabase(path, FIELD_A);
  addRows(path, "metrics", 12);
  const before = wholeContent(path);
  await migrate(path);
  const migrated = wholeContent(path);
  for (let last = 1; ; last += 1) {
    const controller = new AbortController();
    let step = 0;
    const report = await downgradeMigration(path, {
      signal: controller.signal,
      onProgress: () => {
        step += 1;
        if (step === last) controller.abort();
      },
    });
    if (step < last) {
      expect(report).toMatchObject({ exit_code: 0, databases: [{ status: "downgraded" }] });
      expect(last).toBeGreaterThan(15);
      break;
    }
    expect(report.exit_code).toBe(130);
    expect(wholeContent(path)).toEqual(migrated);
  }
  expect(wholeContent(path)).toEqual(before);
});
