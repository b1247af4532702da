import { expect, test } from "vitest";
import { prepareReading } from "../../src/metrics/rollup/reading.ts";
import type { Database } from "../../src/sqlite/open_database.ts";
import { addRows, asked, newPath } from "./databases.ts";

/** Adds many rows of other programs after the sums, some of them of users with ids that cannot be asked for. */
function withManyNewRows(): ReturnType<typeof asked> {
  const opened = asked(newPath(), { budgetMs: 0, threshold: 5, piece: 4, sliceMs: 0 });
  addRows(opened.database, 30);
  opened.rollup.foldAll();
  const add = opened.database.prepare("INSERT INTO interactions (user_id, level, success) VALUES (?, 1, 1)");
  for (const id of ["b", "", "z", "\u{1f600}", "\ufffd", "ab", Buffer.from("blob")])
    for (let row = 0; row < 30; row += 1) add.run(id);
  opened.database.exec("INSERT INTO interactions (user_id, level, success) VALUES (CAST(x'ff' AS TEXT), 1, 1)");
  opened.database.exec("DELETE FROM interactions WHERE user_id = 'a'");
  return opened;
}

const byIndex = (database: Database): string[] | undefined => prepareReading(database, "level", 2).usersByIndex();

test("the users of many new rows are found in the index of users, in the same order", () => {
  const { database, rollup, allRows } = withManyNewRows();
  expect(byIndex(database)).toEqual(allRows.users());
  expect(rollup.users()).toEqual(allRows.users());
  expect(allRows.users()).toEqual(["", "ab", "b", "c", "z", "\ufffd", "\u{1f600}"]);
});

test.each([
  ["no index of users", "DROP INDEX idx_interactions_user"],
  [
    "an index in another order",
    "DROP INDEX idx_interactions_user; CREATE INDEX other ON interactions (user_id COLLATE NOCASE)",
  ],
  ["few new rows", "DELETE FROM interactions WHERE id > 40"],
])("with %s they are found in the sums and the new rows", (_, sql) => {
  const { database, rollup, allRows } = withManyNewRows();
  database.exec(sql);
  expect(byIndex(database)).toBeUndefined();
  expect(rollup.users()).toEqual(allRows.users());
});
