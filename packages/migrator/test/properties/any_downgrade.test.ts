import { mkdirSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { downgradeMigration } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { freshFolder } from "../support/folder.ts";
import { connect } from "../../../../test/legacy/legacy_database.ts";
import { randomDatabase, randomOptions, writeRandomDatabase } from "./random_database.ts";
import { wholeContent } from "../support/whole_content.ts";
import { RUNS } from "./runs.ts";

test("restores any migrated database, and keeps rows of version 16", async () => {
  const folder = freshFolder();
  let run = 0;
  let downgraded = 0;
  await fc.assert(
    fc.asyncProperty(randomDatabase, randomOptions, fc.boolean(), async (described, options, records) => {
      mkdirSync(join(folder, String((run += 1))));
      const path = join(folder, String(run), "m.db");
      writeRandomDatabase(path, described);
      const before = wholeContent(path);
      const { databases } = await migrate(path, { ...options, invalidRows: "quarantine", saveReport: false });
      fc.pre(databases[0]?.status === "migrated");
      if (records) {
        const database = connect(path);
        database.exec("INSERT INTO interactions (user_id, level, success) VALUES ('since', 5, 1), ('since', 5, 0)");
        database.close();
      }
      const report = await downgradeMigration(path, { backup: options.backup, saveReport: false });
      expect(report.databases[0]?.reason).toBe(null);
      expect(report).toMatchObject({ exit_code: 0, databases: [{ status: "downgraded" }] });
      downgraded += 1;
      const after = wholeContent(path);
      if (!records) expect(after).toEqual(before);
      else
        expect(after.objects.map(({ sql }) => sql)).toEqual(
          expect.arrayContaining(before.objects.map(({ sql }) => sql)),
        );
    }),
    { numRuns: 12 * RUNS },
  );
  expect(downgraded).toBeGreaterThan(10);
});
