import { join } from "node:path";
import { MetricsCollector } from "@perdura/v16";
import { expect, test } from "vitest";
import { makeDatabase } from "../../../../test/legacy/legacy_database.ts";
import { downgradeMigration, planMigration, verifyMigration } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { TABLES_WITH_ALL_COLUMNS, useLayout } from "../layouts/layout_suite.ts";
import { spelled } from "../layouts/old_table.ts";
import { freshFolder } from "../support/folder.ts";
import { wholeContent } from "../support/whole_content.ts";

const [ONE, OTHER] = ["1234567890123456768", "1234567890123456769"];

test.each(TABLES_WITH_ALL_COLUMNS)(
  "plan says that 16 cannot record after ids of $table above 2^53-1; up and down keep them exactly",
  async (old) => {
    useLayout(old);
    const path = join(freshFolder(), "metrics.db");
    makeDatabase(
      path,
      old.create,
      spelled(
        old,
        `INSERT INTO metrics (id, user_id, empathy_level, success, metadata) VALUES (${ONE}, 'bob', 3, 1, NULL), (${OTHER}, 'ann', 2, 1, '{"of":"ann"}')`,
      ),
    );
    const before = wholeContent(path);
    const noted = {
      notes: expect.arrayContaining([expect.stringContaining(`the highest id is ${OTHER}`)]) as string[],
    };
    expect(await planMigration(path)).toMatchObject({ exit_code: 0, databases: [{ status: "planned", ...noted }] });
    expect(await migrate(path)).toMatchObject({ exit_code: 0, databases: [{ status: "migrated", ...noted }] });
    expect(await verifyMigration(path)).toMatchObject({ exit_code: 0 });
    expect(await planMigration(path)).toMatchObject({
      exit_code: 0,
      databases: [{ status: "nothing_to_do", ...noted }],
    });
    const collector = new MetricsCollector(path);
    expect(collector.getUserStats("ann").total_operations).toBe(1);
    expect(() => collector.recordInteraction("ann", 2, true, 1)).toThrow(`the highest id is ${OTHER}`);
    collector.close();
    expect(await downgradeMigration(path)).toMatchObject({ exit_code: 0 });
    expect(wholeContent(path)).toEqual(before);
  },
);

test.each(TABLES_WITH_ALL_COLUMNS)("plan names a counter of $table that is a text, and its correction", async (old) => {
  useLayout(old);
  const path = join(freshFolder(), "metrics.db");
  makeDatabase(
    path,
    old.create,
    spelled(old, "INSERT INTO metrics (id, user_id, empathy_level, success) VALUES (7, 'bob', 3, 1)"),
    "UPDATE sqlite_sequence SET seq = 'abc'",
  );
  const before = wholeContent(path);
  const wrong = (table: string) =>
    expect.stringContaining(`the counter of the table ${table} in sqlite_sequence is "abc"`);
  expect((await planMigration(path)).databases[0]?.notes).toContainEqual(wrong(old.table));
  expect(await migrate(path)).toMatchObject({ exit_code: 0 });
  expect(await verifyMigration(path)).toMatchObject({ exit_code: 0 });
  expect((await planMigration(path)).databases[0]?.notes).toContainEqual(wrong("interactions"));
  expect(await downgradeMigration(path)).toMatchObject({ exit_code: 0 });
  expect(wholeContent(path)).toEqual(before);
  const [report] = (await planMigration(path)).databases;
  makeDatabase(path, /UPDATE .*;/.exec(report?.notes.join("\n") ?? "")?.[0] ?? "");
  expect(await migrate(path)).toMatchObject({ exit_code: 0 });
  const collector = new MetricsCollector(path);
  expect(collector.recordInteraction("bob", 2, true, 5)).toBe(8);
  collector.close();
});
