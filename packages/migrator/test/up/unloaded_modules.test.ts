import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  downgradeMigration,
  migrationStatus,
  planMigration,
  pruneMigration,
  verifyMigration,
} from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { freshFolder } from "../support/folder.ts";
import { forgetCollation } from "../support/unknown_collation.ts";
import {
  addRows,
  DOCUMENTED_15,
  FIELD_A,
  FIELD_PATTERNS,
  makeDatabase,
} from "../../../../test/legacy/legacy_database.ts";
import { connect, query } from "../../../../test/legacy/legacy_database.ts";

/** Writes an entry into the schema for which this SQLite has no module, tokenizer or collation. */
function addEntry(path: string, type: "table" | "index", name: string, table: string, sql: string, page: string): void {
  const database = connect(path);
  database.unsafeMode(true);
  database.pragma("writable_schema = ON");
  database.prepare(`INSERT INTO sqlite_schema VALUES (?, ?, ?, ${page}, ?)`).run(type, name, table, sql);
  database.close();
}

/** Shadow tables of a virtual table; for SQLite they are ordinary tables while the module is not loaded. */
const SHADOWS =
  "CREATE TABLE mem_content (id INTEGER PRIMARY KEY, c0); INSERT INTO mem_content VALUES (1, 'a'), (2, x'00ff'); CREATE TABLE mem_data (k PRIMARY KEY, v) WITHOUT ROWID; INSERT INTO mem_data VALUES ('a', 1.0)";

const virtual =
  (sql: string) =>
  (path: string): void => {
    makeDatabase(path, SHADOWS);
    addEntry(path, "table", "mem", "mem", sql, "0");
  };

const collated =
  (sql: string) =>
  (path: string): void => {
    makeDatabase(path, sql);
    forgetCollation(path);
  };

const OBJECTS: [string, (path: string) => void][] = [
  ["vec0", virtual("CREATE VIRTUAL TABLE mem USING vec0(level float[8], metrics text, interactions text)")],
  ["a tokenizer", virtual("CREATE VIRTUAL TABLE mem USING fts5(body, level, tokenize='jieba')")],
  ["a module with arguments", virtual("CREATE VIRTUAL TABLE mem USING VirtualShape('a', UTF-8, 4326)")],
  ["a collation of a column", collated("CREATE TABLE own (a TEXT COLLATE NOCASE, b); INSERT INTO own VALUES ('x', 1)")],
  [
    "a collation of an index",
    collated("CREATE TABLE own (a, b); CREATE INDEX by_a ON own(a COLLATE NOCASE); INSERT INTO own VALUES ('x', 1)"),
  ],
  [
    "a collation of a unique column, and of a key that it is referred to by",
    collated(
      "CREATE TABLE own (a TEXT COLLATE NOCASE UNIQUE, b); CREATE TABLE child (a REFERENCES own(a)); INSERT INTO own VALUES ('x', 1); INSERT INTO child VALUES ('x')",
    ),
  ],
  [
    "a collation of a key without row ids",
    collated("CREATE TABLE own (a TEXT COLLATE NOCASE PRIMARY KEY, b) WITHOUT ROWID; INSERT INTO own VALUES ('x', 1)"),
  ],
];

const LAYOUTS: [string, "interactions" | "metrics", string][] = [
  ["documented-15", "interactions", DOCUMENTED_15],
  ["combined-a", "metrics", `${FIELD_A} ${FIELD_PATTERNS}`],
];

describe.each(LAYOUTS)("%s", (_layout, table, schema) => {
  test.each(OBJECTS)("no command needs what SQLite lacks here: %s", async (_what, add) => {
    const path = join(freshFolder(), "m.db");
    makeDatabase(path, schema);
    addRows(path, table, 12);
    makeDatabase(
      path,
      table === "metrics"
        ? "INSERT INTO patterns (id, agent_id, pattern_type, name, context) VALUES ('p', 'a', 't', 'n', 'not json')"
        : "SELECT 1",
      `INSERT INTO ${table} (user_id, empathy_level, success) VALUES ('u', 9, 1), ('u', 3, 1)`,
    );
    add(path);
    const entries = query(path, "SELECT type, name, sql FROM sqlite_schema ORDER BY 1, 2");
    const options = { invalidRows: "quarantine" } as const;
    expect(await planMigration(path, options)).toMatchObject({ exit_code: 0, databases: [{ status: "planned" }] });
    expect(await migrate(path, { ...options, rehearse: true })).toMatchObject({ exit_code: 0 });
    expect(await migrate(path, options)).toMatchObject({ exit_code: 0, databases: [{ status: "migrated" }] });
    expect(await verifyMigration(path)).toMatchObject({ exit_code: 0, databases: [{ status: "verified" }] });
    expect(await migrationStatus(path)).toMatchObject({ exit_code: 0 });
    expect(await planMigration(path)).toMatchObject({ exit_code: 0, databases: [{ status: "nothing_to_do" }] });
    expect(await pruneMigration(path, { dryRun: true, pruneBackups: true })).toMatchObject({ exit_code: 0 });
    expect(await downgradeMigration(path, { dryRun: true })).toMatchObject({ exit_code: 0 });
    expect(await downgradeMigration(path)).toMatchObject({ exit_code: 0, databases: [{ status: "downgraded" }] });
    expect(await verifyMigration(path)).toMatchObject({ exit_code: 0 });
    expect(query(path, "SELECT type, name, sql FROM sqlite_schema ORDER BY 1, 2")).toEqual(entries);
  });
});

test("compares the shadow tables as the ordinary tables that they are", async () => {
  const path = join(freshFolder(), "m.db");
  makeDatabase(path, FIELD_A);
  addRows(path, "metrics", 3);
  OBJECTS[0]?.[1](path);
  const { databases } = await migrate(path);
  expect(databases[0]?.verification?.other_tables).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ table: "mem_content", rows: 2 }),
      expect.objectContaining({ table: "mem_data", rows: 1 }),
    ]),
  );
});

test("names a table that cannot be read here as not compared", async () => {
  const path = join(freshFolder(), "m.db");
  makeDatabase(path, FIELD_A);
  addRows(path, "metrics", 3);
  OBJECTS.at(-1)?.[1](path);
  const { databases } = await migrate(path);
  expect(databases[0]?.notes).toEqual([expect.stringMatching(/the table own .* of_application/)]);
  expect(databases[0]?.verification?.other_tables).toEqual([]);
});
