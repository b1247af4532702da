import { join } from "node:path";
import { expect, test } from "vitest";
import { planMigration, downgradeMigration, verifyMigration } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { ALL_TABLES, isMerged, rotated, useLayout } from "../layouts/layout_suite.ts";
import { DOCUMENTED_15_WITH_NOTE, fill, insertion, type OldTable, optionsFor, spelled } from "../layouts/old_table.ts";
import { freshFolder, stampOf } from "../support/folder.ts";
import { addRows, connect, DOCUMENTED_15, makeDatabase, query } from "../../../../test/legacy/legacy_database.ts";
import { wholeContent } from "../support/whole_content.ts";

/** Runs statements like the application that has the function. */
function asApplication(path: string, sql: string): void {
  const database = connect(path);
  database.function("own", { deterministic: true }, (value) => value);
  database.exec(sql);
  database.close();
}

const onlyNames = ({ table }: OldTable): boolean => table === "interactions";
const MOVED = ALL_TABLES.filter((old) => !onlyNames(old));

test.each([
  ...rotated<[string, string, string]>(
    [
      ["an expression", "", "CREATE INDEX mine ON metrics (own(user_id))"],
      ["the column of the level", "", "CREATE INDEX mine ON metrics (own(empathy_level))"],
      ["the column of the metadata", "", "CREATE INDEX mine ON metrics (own(metadata))"],
      ["a part of the rows", "", "CREATE INDEX mine ON metrics (user_id) WHERE own(user_id) > 'a'"],
    ],
    MOVED,
  ),
  ...rotated<[string, string, string]>(
    [
      ["the merged table", DOCUMENTED_15_WITH_NOTE, "CREATE INDEX mine ON metrics (own(user_id))"],
      ["the merged table and its metadata", DOCUMENTED_15_WITH_NOTE, "CREATE INDEX mine ON metrics (own(metadata))"],
    ],
    ALL_TABLES.filter(isMerged),
  ),
])(
  "an index that calls a function of an application on %s is refused before any change",
  async (_title, second, index, old) => {
    useLayout(old);
    const path = join(freshFolder(), "m.db");
    makeDatabase(path, second, old.create);
    fill(path, old, 5);
    await expectRefused(path, spelled(old, index), old);
  },
);

test("so is one on the table that gets the merged rows", async () => {
  const [old] = ALL_TABLES.filter(isMerged) as [OldTable];
  const path = join(freshFolder(), "m.db");
  makeDatabase(path, DOCUMENTED_15_WITH_NOTE, old.create);
  fill(path, old, 5);
  await expectRefused(path, "CREATE INDEX mine ON interactions (own(user_id))", old);
});

test.each(ALL_TABLES)("so is one on $table with a row to be quarantined", async (old) => {
  useLayout(old);
  const path = join(freshFolder(), "m.db");
  makeDatabase(
    path,
    old.create,
    insertion(old, 9, { user_id: "'a'", level: "1", success: "1", response_time_ms: "'slow'" }),
  );
  fill(path, old, 1);
  await expectRefused(path, spelled(old, "CREATE INDEX mine ON metrics (own(user_id))"), old);
});

async function expectRefused(path: string, index: string, old: OldTable): Promise<void> {
  const folder = join(path, "..");
  const options = { ...optionsFor(old), invalidRows: "quarantine" } as const;
  asApplication(path, index);
  const before = stampOf(folder);
  for (const run of [planMigration, migrate])
    expect(await run(path, options)).toMatchObject({
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
  expect(await migrate(path, options)).toMatchObject({ exit_code: 0 });
  expect(await downgradeMigration(path)).toMatchObject({ exit_code: 0 });
  expect(wholeContent(path)).toEqual(content);
}

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

test.each(MOVED)(
  "names such an index of $table that was created since the migration, and changes nothing",
  async (old) => {
    useLayout(old);
    const folder = freshFolder();
    const path = join(folder, "m.db");
    makeDatabase(path, old.create);
    fill(path, old, 5);
    await migrate(path, optionsFor(old));
    asApplication(path, "CREATE INDEX mine ON interactions (own(user_id))");
    const before = stampOf(folder);
    for (const dryRun of [true, false])
      expect(await downgradeMigration(path, { dryRun })).toMatchObject({
        exit_code: 3,
        databases: [
          { reason: expect.stringMatching(/^The index mine of the table interactions uses the function own/) },
        ],
      });
    expect(stampOf(folder)).toBe(before);
  },
);
