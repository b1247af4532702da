import { join } from "node:path";
import { expect, test } from "vitest";
import { downgradeMigration, verifyMigration } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { freshFolder, stampOf } from "../support/folder.ts";
import {
  ALL_TABLES,
  hasLevels,
  isMerged,
  layoutSuite,
  rotated,
  TABLES_WITH_ALL_COLUMNS,
  useLayout,
} from "../layouts/layout_suite.ts";
import {
  DOCUMENTED_15_WITH_NOTE,
  fill,
  insertion,
  type OldTable,
  optionsFor,
  redeclared,
  spelled,
  type Written,
} from "../layouts/old_table.ts";
import { addRows, connect, makeDatabase, query } from "../../../../test/legacy/legacy_database.ts";
import { wholeContent } from "../support/whole_content.ts";

/** Runs statements like a program that never enforced foreign keys. */
function unenforced(path: string, sql: string): void {
  const database = connect(path);
  database.pragma("foreign_keys = OFF");
  database.exec(sql);
  database.close();
}

const USERS = "CREATE TABLE users (name TEXT PRIMARY KEY); INSERT INTO users VALUES ('u1')";

/** Other declarations of columns, in the names of field layout A. */
type Declared = Partial<Record<Written, string>>;
type Case = [what: string, others: string, types: Declared];
const USER: Declared = { user_id: "TEXT NOT NULL REFERENCES users(name)" };
const KIND: Declared = { metadata: "TEXT REFERENCES kinds(k)" };
const KINDS = "CREATE TABLE kinds (k PRIMARY KEY)";

test.each([
  ...rotated<Case>([
    ["users", USERS, USER],
    ["users", USERS, USER],
    ["users", USERS, USER],
    ["other rows", "", { user_id: "TEXT NOT NULL, parent INTEGER DEFAULT 77 REFERENCES metrics(id)" }],
  ]),
  ...ALL_TABLES.filter(hasLevels).map((old): [...Case, OldTable] => [
    "levels",
    "CREATE TABLE levels (n PRIMARY KEY)",
    { level: "INTEGER NOT NULL REFERENCES levels(n)" },
    old,
  ]),
  ...TABLES_WITH_ALL_COLUMNS.map((old): [...Case, OldTable] => ["the row of the metadata", KINDS, KIND, old]),
])("restores broken references to %s (%#), also of rows recorded since", async (_title, others, types, old) => {
  useLayout(old);
  const [path, { table, names }] = [join(freshFolder(), "m.db"), old];
  makeDatabase(path, others, redeclared(old, types).create);
  addOrphans(path, old);
  const before = wholeContent(path);
  expect(await migrate(path, optionsFor(old))).toMatchObject({ exit_code: 0 });
  expect(await downgradeMigration(path)).toMatchObject({ exit_code: 0 });
  expect(wholeContent(path)).toEqual(before);
  expect(await migrate(path, optionsFor(old))).toMatchObject({ exit_code: 0 });
  unenforced(
    path,
    `INSERT INTO interactions (user_id, level, success) VALUES ('nobody', 5, 1);${names.metadata === undefined ? "" : "INSERT INTO interaction_metadata VALUES (last_insert_rowid(), 'none')"}`,
  );
  expect(await downgradeMigration(path)).toMatchObject({ exit_code: 0, databases: [{ status: "downgraded" }] });
  expect(query(path, `SELECT count(*) FROM ${table} WHERE ${names.user_id} = 'nobody'`)).toEqual([[1n]]);
  expect(await verifyMigration(path)).toMatchObject({ exit_code: 0 });
});

function addOrphans(path: string, old: OldTable): void {
  const rows = ["u1", "gone", "u2"].map((user, index) =>
    insertion(old, index + 1, { user_id: `'${user}'`, level: `${index + 1}`, success: "1", metadata: "'m'" }),
  );
  unenforced(path, rows.join("; "));
}

layoutSuite((old) => {
  test("restores a quarantined row although the row that it refers to is missing", async () => {
    const path = join(freshFolder(), "m.db");
    makeDatabase(path, USERS, redeclared(old, USER).create);
    const row = { level: "2", success: "1" };
    unenforced(
      path,
      `${insertion(old, 1, { user_id: "'x'", ...row, response_time_ms: "'slow'" })}; ${insertion(old, 2, { user_id: "'u1'", ...row })}`,
    );
    const before = wholeContent(path);
    expect(await migrate(path, { ...optionsFor(old), invalidRows: "quarantine" })).toMatchObject({ exit_code: 0 });
    expect(await downgradeMigration(path)).toMatchObject({ exit_code: 0 });
    expect(wholeContent(path)).toEqual(before);
  });
});

test.each(TABLES_WITH_ALL_COLUMNS.filter(isMerged))(
  "restores rows merged from $table to their tables with their references",
  async (old) => {
    useLayout(old);
    const path = join(freshFolder(), "m.db");
    makeDatabase(
      path,
      USERS,
      DOCUMENTED_15_WITH_NOTE.replace("user_id TEXT NOT NULL", "user_id TEXT NOT NULL REFERENCES users(name)"),
      KINDS,
      redeclared(old, KIND).create,
    );
    unenforced(
      path,
      "INSERT INTO interactions (user_id, empathy_level, success) VALUES ('u1', 1, 1), ('gone', 2, 0), ('u2', 3, 1)",
    );
    unenforced(path, "INSERT INTO users VALUES ('gone'), ('u2')");
    addOrphans(path, old);
    unenforced(
      path,
      `DELETE FROM users WHERE name = 'gone'; ${spelled(old, "DELETE FROM metrics WHERE user_id = 'gone'")}`,
    );
    const before = wholeContent(path);
    expect(await migrate(path)).toMatchObject({ exit_code: 0 });
    expect(await downgradeMigration(path)).toMatchObject({ exit_code: 0 });
    expect(wholeContent(path)).toEqual(before);
  },
);

test.each(ALL_TABLES.filter(isMerged))(
  "refuses a new reference to a row that moves to $table ($names.level), but not broken ones",
  async (old) => {
    useLayout(old);
    const folder = freshFolder();
    const path = join(folder, "m.db");
    const notes = "CREATE TABLE notes (about INTEGER REFERENCES interactions(id))";
    makeDatabase(path, DOCUMENTED_15_WITH_NOTE, old.create, notes);
    addRows(path, "interactions", 2);
    fill(path, old, 2);
    unenforced(path, "INSERT INTO notes VALUES (999)");
    expect(await migrate(path, optionsFor(old))).toMatchObject({ exit_code: 0 });
    unenforced(path, "INSERT INTO notes SELECT max(id) FROM interactions; DELETE FROM notes WHERE about = 999");
    const before = stampOf(folder);
    expect(await downgradeMigration(path)).toMatchObject({
      exit_code: 3,
      databases: [
        {
          status: "refused",
          reason: expect.stringMatching(/^1 row of the table notes refers to interactions that the downgrade moves/),
        },
      ],
    });
    expect(stampOf(folder)).toBe(before);
    unenforced(path, "DELETE FROM notes");
    expect(await downgradeMigration(path)).toMatchObject({ exit_code: 0 });
  },
);

layoutSuite(
  (old) => {
    test("refuses a new reference to a table that the pre-16 layout does not have", async () => {
      const path = join(freshFolder(), "m.db");
      makeDatabase(path, old.create, insertion(old, 1, { user_id: "'a'", level: "3", success: "1", metadata: "'{}'" }));
      expect(await migrate(path, optionsFor(old))).toMatchObject({ exit_code: 0 });
      unenforced(
        path,
        "CREATE TABLE mine (m REFERENCES interaction_metadata(interaction_id)); INSERT INTO mine VALUES (1)",
      );
      expect(await downgradeMigration(path)).toMatchObject({
        exit_code: 3,
        databases: [
          {
            reason: expect.stringMatching(/^1 row of the table mine refers to rows of the table interaction_metadata/),
          },
        ],
      });
    });
  },
  ({ names }) => names.metadata !== undefined,
);
