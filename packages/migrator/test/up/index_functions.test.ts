import { join } from "node:path";
import { expect, test } from "vitest";
import { planMigration, downgradeMigration, verifyMigration } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { freshFolder, stampOf } from "../support/folder.ts";
import {
  addRows,
  connect,
  DOCUMENTED_15,
  FIELD_A,
  makeDatabase,
  query,
} from "../../../../test/legacy/legacy_database.ts";
import { wholeContent } from "../support/whole_content.ts";

/** Runs statements like the application that has the function. */
function asApplication(path: string, sql: string): void {
  const database = connect(path);
  database.function("own", { deterministic: true }, (value) => value);
  database.exec(sql);
  database.close();
}

test.each([
  ["an expression", [FIELD_A], "CREATE INDEX mine ON metrics (own(user_id))"],
  ["the column of the level", [FIELD_A], "CREATE INDEX mine ON metrics (own(empathy_level))"],
  ["the column of the metadata", [FIELD_A], "CREATE INDEX mine ON metrics (own(metadata))"],
  ["a part of the rows", [FIELD_A], "CREATE INDEX mine ON metrics (user_id) WHERE own(user_id) > 'a'"],
  ["the table that gets the merged rows", [DOCUMENTED_15, FIELD_A], "CREATE INDEX mine ON interactions (own(user_id))"],
  ["the merged table", [DOCUMENTED_15, FIELD_A], "CREATE INDEX mine ON metrics (own(user_id))"],
  [
    "a table with a row to be quarantined",
    [DOCUMENTED_15, "INSERT INTO interactions (user_id, empathy_level, success) VALUES ('a', 9, 1), ('b', 1, 1)"],
    "CREATE INDEX mine ON interactions (own(user_id))",
  ],
])(
  "an index that calls a function of an application on %s is refused before any change",
  async (_title, made, index) => {
    const folder = freshFolder();
    const path = join(folder, "m.db");
    makeDatabase(path, ...made);
    if (made.includes(FIELD_A)) addRows(path, "metrics", 5);
    asApplication(path, index);
    const before = stampOf(folder);
    for (const run of [planMigration, migrate])
      expect(await run(path, { invalidRows: "quarantine" })).toMatchObject({
        exit_code: 3,
        databases: [
          {
            status: "refused",
            reason: expect.stringMatching(
              /^The index mine of the table \w+ uses the function own, .* Drop the index first/,
            ),
          },
        ],
      });
    expect(stampOf(folder)).toBe(before);
    asApplication(path, "DROP INDEX mine");
    const content = wholeContent(path);
    expect(await migrate(path, { invalidRows: "quarantine" })).toMatchObject({ exit_code: 0 });
    expect(await downgradeMigration(path)).toMatchObject({ exit_code: 0 });
    expect(wholeContent(path)).toEqual(content);
  },
);

test("keeps such an index in a migration and downgrade if only names change", async () => {
  const path = join(freshFolder(), "m.db");
  makeDatabase(path, DOCUMENTED_15);
  addRows(path, "interactions", 5);
  asApplication(path, "CREATE INDEX mine ON interactions (own(empathy_level))");
  expect(await migrate(path)).toMatchObject({ exit_code: 0 });
  asApplication(path, "INSERT INTO interactions (user_id, level, success) VALUES ('new', 4, 1)");
  expect(await verifyMigration(path)).toMatchObject({ exit_code: 0 });
  expect(await downgradeMigration(path)).toMatchObject({ exit_code: 0 });
  expect(query(path, "SELECT sql FROM sqlite_schema WHERE name = 'mine'")).toEqual([
    ["CREATE INDEX mine ON interactions (own(empathy_level))"],
  ]);
  const database = connect(path);
  database.function("own", { deterministic: true }, (value) => value);
  expect(database.pragma("integrity_check", { simple: true })).toBe("ok");
  database.close();
});

test("names such an index that was created since the migration, and changes nothing", async () => {
  const folder = freshFolder();
  const path = join(folder, "m.db");
  makeDatabase(path, FIELD_A);
  addRows(path, "metrics", 5);
  await migrate(path);
  asApplication(path, "CREATE INDEX mine ON interactions (own(user_id))");
  const before = stampOf(folder);
  for (const dryRun of [true, false])
    expect(await downgradeMigration(path, { dryRun })).toMatchObject({
      exit_code: 3,
      databases: [{ reason: expect.stringMatching(/^The index mine of the table interactions uses the function own/) }],
    });
  expect(stampOf(folder)).toBe(before);
});
