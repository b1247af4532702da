import { join } from "node:path";
import { expect, test } from "vitest";
import { migrate, revertMigration } from "../../src/index.ts";
import { freshFolder } from "../support/folder.ts";
import { addRows, FIELD_A, makeDatabase, query } from "../support/legacy_database.ts";

test("restores the statistics of ANALYZE, also for indexes that the migration drops", async () => {
  const path = join(freshFolder(), "m.db");
  makeDatabase(path, FIELD_A);
  addRows(path, "metrics", 60);
  makeDatabase(
    path,
    "CREATE INDEX mine ON metrics(success)",
    "ANALYZE",
    "UPDATE sqlite_stat1 SET stat = '7 7' WHERE idx = 'mine'",
  );
  const statistics = (): unknown[] => query(path, "SELECT * FROM sqlite_stat1 ORDER BY rowid");
  const before = statistics();
  expect(before.length).toBeGreaterThan(2);
  expect(await migrate(path)).toMatchObject({ exit_code: 0 });
  expect(statistics()).not.toEqual(before);
  expect(await revertMigration(path)).toMatchObject({ exit_code: 0 });
  expect(statistics()).toEqual(before);
});
