import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { MetricsCollector, PatternPersistence } from "@perdura/v16";
import { PATTERN_FIELDS } from "@perdura/internals/validity/pattern_fields.js";
import { hasRowid, hasTable, kindOf } from "@perdura/internals/sqlite/catalog.js";
import { faultsOf } from "@perdura/internals/sqlite/faults.js";
import Database from "better-sqlite3";
import { expect, onTestFinished, test } from "vitest";
import { freshFolder } from "../../../test/fresh_folder.ts";
import { ON_POSIX } from "../../../test/needs.ts";

const ENDLESS = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n)";

function file(): string {
  const directory = freshFolder();
  return join(directory, "x.db");
}

function made(...statements: string[]): { path: string; database: Database.Database } {
  const path = file();
  const database = new Database(path);
  onTestFinished(() => void database.close());
  database.unsafeMode(true);
  database.pragma("writable_schema = ON");
  for (const statement of statements) database.exec(statement);
  return { path, database };
}

test("hasTable is true only for ordinary tables, even with a forged schema", () => {
  const { path, database: forging } = made(
    "CREATE TABLE plain (id TEXT PRIMARY KEY)",
    "CREATE TABLE keyed (id TEXT PRIMARY KEY, x) WITHOUT ROWID",
    "CREATE VIEW seen AS SELECT 1 AS id",
    "CREATE VIRTUAL TABLE sought USING fts5(id)",
    "CREATE VIRTUAL TABLE forged USING fts5(id)",
    "UPDATE sqlite_schema SET rootpage = 2, sql = replace(sql, ' VIRTUAL', '/* x */virtual') WHERE name = 'forged'",
  );
  forging.close();
  const database = new Database(path);
  onTestFinished(() => void database.close());
  const names = ["plain", "PLAIN", "keyed", "seen", "sought", "forged", "none"];
  expect(names.filter((name) => hasTable(database, name))).toEqual(["plain", "PLAIN", "keyed"]);
  expect(names.map((name) => kindOf(database, name))).toEqual([
    "table",
    "table",
    "table",
    "view",
    "table",
    "table",
    undefined,
  ]);
  expect([hasRowid(database, "plain"), hasRowid(database, "keyed")]).toEqual([true, false]);
});

test.each([" \t", "/* a*b **/ ", "--ab\n", "-- \n\n--\n", "/**//***/"])(
  "hasTable is false for a virtual table with %j before its kind",
  (blanks) => {
    const { path, database: forging } = made("CREATE TABLE plain (x)", "CREATE VIRTUAL TABLE forged USING fts5(id)");
    forging
      .prepare("UPDATE sqlite_schema SET rootpage = 2, sql = replace(sql, ' VIRTUAL', ?) WHERE name = 'forged'")
      .run(`${blanks}VIRTUAL`);
    forging.close();
    const database = new Database(path);
    onTestFinished(() => void database.close());
    expect(["plain", "forged"].map((name) => hasTable(database, name))).toEqual([true, false]);
  },
);

test("hasTable is true for an ordinary table whose text contains “virtual”", () => {
  const { database } = made("CREATE TABLE noted (x DEFAULT 'create virtual')", "CREATE TABLE virtual (x)");
  expect(["noted", "virtual"].map((name) => hasTable(database, name))).toEqual([true, true]);
});

test.each(["fts5", "fts4"])("does not read rows that %s would take from an endless view", (module) => {
  const { path, database } = made(
    `CREATE VIEW bomb AS ${ENDLESS} SELECT ${[...PATTERN_FIELDS, "rowid"].map((column) => `x AS ${column}`).join(", ")} FROM n`,
    `CREATE TABLE rows (${PATTERN_FIELDS.join(", ")})`,
    `CREATE VIRTUAL TABLE patterns USING ${module}(${PATTERN_FIELDS.join(", ")}, content="rows")`,
    `UPDATE sqlite_schema SET sql = replace(sql, '"rows"', '"bomb"') WHERE name = 'patterns'`,
  );
  database.close();
  expect(() => PatternPersistence.loadFromSqlite(path)).toThrow('found no table "patterns"');
});

test("reads long comments before the kind of a table in linear time", () => {
  const dashes = `CREATE ${"-".repeat(100_000)}\nTABLE dashes (id)`;
  const stars = `CREATE ${"/* */".repeat(20_000)} TABLE stars (id)`;
  const { path, database: forging } = made("CREATE TABLE dashes (id)", "CREATE TABLE stars (id)");
  for (const [name, sql] of Object.entries({ dashes, stars }))
    forging.prepare("UPDATE sqlite_schema SET sql = ? WHERE name = ?").run(sql, name);
  forging.close();
  const database = new Database(path);
  onTestFinished(() => void database.close());
  // A scan of all its parts would take far too long for either.
  expect([hasTable(database, "dashes"), hasTable(database, "stars")]).toEqual([true, true]);
});

test("checks pages without running tables of extensions, and still finds damage", () => {
  const { path, database } = made(
    "PRAGMA page_size = 512",
    "CREATE TABLE rows (q); CREATE TABLE filled (x)",
    "INSERT INTO filled SELECT printf('%.*c', 400, 'x') FROM (VALUES (1), (2), (3), (4), (5))",
    `CREATE VIEW bomb AS ${ENDLESS} SELECT x AS rowid, 'text' AS q FROM n`,
    `CREATE VIRTUAL TABLE found USING fts4(q, content="rows")`,
    `UPDATE sqlite_schema SET sql = replace(sql, '"rows"', '"bomb"') WHERE name = 'found'`,
  );
  database.close();
  const sound = new Database(path);
  expect(faultsOf(sound, 3)).toEqual([]);
  sound.unsafeMode(true);
  sound.pragma("writable_schema = ON");
  // Two tables with the same pages: the leaf of one does not match the schema of the other.
  sound.exec("CREATE TABLE key (a, b, PRIMARY KEY (a, b)) WITHOUT ROWID");
  sound.exec(
    "UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM sqlite_schema WHERE name = 'filled') WHERE name = 'key'",
  );
  sound.close();
  const damaged = new Database(path, { readonly: true });
  onTestFinished(() => void damaged.close());
  const faults = ((): unknown => {
    try {
      return faultsOf(damaged, 1);
    } catch (error) {
      return [(error as Error).message];
    }
  })();
  expect(faults).toEqual([expect.stringMatching(/\w+ \w+/)]);
});

test.each([
  ["", "nothing"],
  ["DROP TABLE interaction_metadata", "the table for metadata"],
  ["DROP INDEX idx_interactions_user", "an index"],
])("does not change a byte of a database into which nothing can be recorded: %s", (without) => {
  const path = file();
  new MetricsCollector(path).close();
  const forging = new Database(path);
  forging.unsafeMode(true);
  forging.pragma("journal_mode = DELETE");
  forging.exec(without);
  forging.pragma("writable_schema = ON");
  forging.exec(
    "UPDATE sqlite_schema SET sql = 'CREATE TABLE sqlite_sequence(name,seq,more)' WHERE name = 'sqlite_sequence'",
  );
  forging.close();
  const before = readFileSync(path);
  expect(() => new MetricsCollector(path)).toThrow(expect.objectContaining({ code: "PERDURA_CORRUPT_DATA" }));
  expect(readFileSync(path).equals(before)).toBe(true);
});

test("ignores rows without a user in a damaged database", () => {
  const path = file();
  const collector = new MetricsCollector(path);
  collector.recordInteraction("someone", 1, true, 1);
  collector.close();
  const forging = new Database(path);
  forging.unsafeMode(true);
  forging.pragma("writable_schema = ON");
  const declare = (now: string, then: string): void => {
    forging.exec(`UPDATE sqlite_schema SET sql = replace(sql, '${now}', '${then}') WHERE name = 'interactions'`);
    forging.pragma(`schema_version = ${(forging.pragma("schema_version", { simple: true }) as number) + 1}`);
  };
  declare("user_id TEXT NOT NULL", "user_id TEXT");
  const writing = new Database(path);
  writing.exec("INSERT INTO interactions (user_id, level, success) VALUES (NULL, 1, 1), (NULL, 2, 0)");
  writing.close();
  declare("user_id TEXT", "user_id TEXT NOT NULL");
  forging.close();
  const damaged = new MetricsCollector(path);
  onTestFinished(() => damaged.close());
  expect(damaged.getAllUsers()).toEqual(["someone"]);
  const target = `${path}.json`;
  expect(damaged.exportMetrics(target)).toBe(3);
  const { users } = JSON.parse(readFileSync(target, "utf8")) as { users: object };
  expect(Object.keys(users)).toEqual(["someone"]);
});

test("the error of a failed export names the database, not the target file", () => {
  const path = file();
  const collector = new MetricsCollector(path);
  onTestFinished(() => collector.close());
  collector.recordInteraction("someone", 1, true, 1);
  const other = new Database(path);
  onTestFinished(() => void other.close());
  other.unsafeMode(true);
  other.pragma("writable_schema = ON");
  other.exec("UPDATE sqlite_schema SET rootpage = 1 WHERE name = 'interaction_metadata'; PRAGMA schema_version = 999");
  expect(() => collector.exportMetrics(`${path}.json`)).toThrow(
    expect.objectContaining({ path, message: expect.stringMatching(/^\S*x\.db: /) }),
  );
});

test("refuses a pipe in the place of the journal without blocking", ON_POSIX, () => {
  const path = file();
  new MetricsCollector(path).close();
  expect(spawnSync("mkfifo", [`${path}-journal`]).status).toBe(0);
  for (const open of [() => new MetricsCollector(path), () => PatternPersistence.loadFromSqlite(path)])
    expect(open).toThrow(/x\.db-journal is not a regular file/);
});
