import { join } from "node:path";
import { expect, test } from "vitest";
import { downgradeMigration, verifyMigration } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { freshFolder, stampOf } from "../support/folder.ts";
import {
  addRows,
  connect,
  DOCUMENTED_15,
  FIELD_A,
  FIELD_B,
  makeDatabase,
  query,
} from "../../../../test/legacy/legacy_database.ts";
import { wholeContent } from "../support/whole_content.ts";

/** Runs statements like a program that never enforced foreign keys. */
function unenforced(path: string, sql: string): void {
  const database = connect(path);
  database.pragma("foreign_keys = OFF");
  database.exec(sql);
  database.close();
}

const to = (layout: string, column: string, reference: string): string =>
  layout.replace(column, `${column} ${reference}`);
const USERS = "CREATE TABLE users (name TEXT PRIMARY KEY); INSERT INTO users VALUES ('u1')";

test.each([
  ["users", FIELD_A, "metrics", USERS, ["user_id TEXT NOT NULL", "REFERENCES users(name)"]],
  ["users", DOCUMENTED_15, "interactions", USERS, ["user_id TEXT NOT NULL", "REFERENCES users(name)"]],
  [
    "levels",
    FIELD_A,
    "metrics",
    "CREATE TABLE levels (n PRIMARY KEY)",
    ["empathy_level INTEGER NOT NULL", "REFERENCES levels(n)"],
  ],
  [
    "levels",
    DOCUMENTED_15,
    "interactions",
    "CREATE TABLE levels (n PRIMARY KEY)",
    ["empathy_level INTEGER NOT NULL", "REFERENCES levels(n)"],
  ],
  [
    "the row of the metadata",
    FIELD_A,
    "metrics",
    "CREATE TABLE kinds (k PRIMARY KEY)",
    ["metadata TEXT", "REFERENCES kinds(k)"],
  ],
  [
    "other rows",
    FIELD_A,
    "metrics",
    "SELECT 1",
    ["metadata TEXT", ", parent INTEGER DEFAULT 77 REFERENCES metrics(id)"],
  ],
] satisfies [string, string, "metrics" | "interactions", string, [string, string]][])(
  "restores broken references to %s (%#), also of rows recorded since",
  async (_title, layout, table, others, [column, reference]) => {
    const path = join(freshFolder(), "m.db");
    makeDatabase(path, others, to(layout, column, reference));
    addOrphans(path, table);
    const before = wholeContent(path);
    expect(await migrate(path)).toMatchObject({ exit_code: 0 });
    expect(await downgradeMigration(path)).toMatchObject({ exit_code: 0 });
    expect(wholeContent(path)).toEqual(before);
    expect(await migrate(path)).toMatchObject({ exit_code: 0 });
    unenforced(
      path,
      `INSERT INTO interactions (user_id, level, success) VALUES ('nobody', 5, 1);${layout === FIELD_A ? "INSERT INTO interaction_metadata VALUES (last_insert_rowid(), 'none')" : ""}`,
    );
    expect(await downgradeMigration(path)).toMatchObject({ exit_code: 0, databases: [{ status: "downgraded" }] });
    expect(query(path, `SELECT count(*) FROM ${table} WHERE user_id = 'nobody'`)).toEqual([[1n]]);
    expect(await verifyMigration(path)).toMatchObject({ exit_code: 0 });
  },
);

function addOrphans(path: string, table: "metrics" | "interactions"): void {
  const metadata = table === "metrics" ? [", metadata", ", 'm'"] : ["", ""];
  unenforced(
    path,
    `INSERT INTO ${table} (user_id, empathy_level, success${metadata[0]}) VALUES ('u1', 1, 1${metadata[1]}), ('gone', 2, 0${metadata[1]}), ('u2', 3, 1${metadata[1]})`,
  );
}

test("restores a quarantined row although the row that it refers to is missing", async () => {
  const path = join(freshFolder(), "m.db");
  makeDatabase(path, USERS, to(FIELD_A, "user_id TEXT NOT NULL", "REFERENCES users(name)"));
  unenforced(path, "INSERT INTO metrics (user_id, empathy_level, success) VALUES ('x', 9, 1), ('u1', 2, 1)");
  const before = wholeContent(path);
  expect(await migrate(path, { invalidRows: "quarantine" })).toMatchObject({ exit_code: 0 });
  expect(await downgradeMigration(path)).toMatchObject({ exit_code: 0 });
  expect(wholeContent(path)).toEqual(before);
});

test("restores merged rows to their tables with their references", async () => {
  const path = join(freshFolder(), "m.db");
  makeDatabase(
    path,
    USERS,
    to(DOCUMENTED_15, "user_id TEXT NOT NULL", "REFERENCES users(name)"),
    "CREATE TABLE kinds (k PRIMARY KEY)",
    to(FIELD_A, "metadata TEXT", "REFERENCES kinds(k)"),
  );
  addOrphans(path, "interactions");
  unenforced(path, "INSERT INTO users VALUES ('gone'), ('u2')");
  addOrphans(path, "metrics");
  unenforced(path, "DELETE FROM users WHERE name = 'gone'; DELETE FROM metrics WHERE user_id = 'gone'");
  const before = wholeContent(path);
  expect(await migrate(path)).toMatchObject({ exit_code: 0 });
  expect(await downgradeMigration(path)).toMatchObject({ exit_code: 0 });
  expect(wholeContent(path)).toEqual(before);
});

test("refuses a new reference to a row that moves to another table, but not broken ones", async () => {
  const folder = freshFolder();
  const path = join(folder, "m.db");
  const notes = "CREATE TABLE notes (about INTEGER REFERENCES interactions(id))";
  makeDatabase(path, DOCUMENTED_15, FIELD_A, notes);
  addRows(path, "interactions", 2);
  addRows(path, "metrics", 2);
  unenforced(path, "INSERT INTO notes VALUES (999)");
  expect(await migrate(path)).toMatchObject({ exit_code: 0 });
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
});

test("refuses a new reference to a table that the pre-16 layout does not have", async () => {
  const path = join(freshFolder(), "m.db");
  makeDatabase(path, FIELD_B);
  makeDatabase(path, "INSERT INTO metrics (user_id, success, metadata) VALUES ('a', 1, '{}')");
  expect(await migrate(path, { missingLevel: 3 })).toMatchObject({ exit_code: 0 });
  unenforced(
    path,
    "CREATE TABLE mine (m REFERENCES interaction_metadata(interaction_id)); INSERT INTO mine VALUES (1)",
  );
  expect(await downgradeMigration(path)).toMatchObject({
    exit_code: 3,
    databases: [
      { reason: expect.stringMatching(/^1 row of the table mine refers to rows of the table interaction_metadata/) },
    ],
  });
});
