import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { planMigration, downgradeMigration, verifyMigration } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { freshFolder, stampOf } from "../support/folder.ts";
import { addRows, connect, DOCUMENTED_15, FIELD_A, makeDatabase } from "../../../../test/legacy/legacy_database.ts";

const ENDLESS = "(WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n)";
/** Text of 20 megabytes at every evaluation. */
const HUGE = "length(hex(zeroblob(10000000 + id)))";

/** Functions that reach outside the database; in a schema of unknown origin none of them may have an effect. */
const REACHING = [
  "load_extension('MARKER')",
  "writefile('MARKER', 'x')",
  "readfile('/etc/passwd')",
  "edit('x', 'touch MARKER; cat')",
  "fts3_tokenizer('simple', x'0000000000000000')",
];

/** Gives a database a schema that SQLite itself would have refused, as another program could. */
function forge(path: string, sql: string, ...values: unknown[]): void {
  const database = connect(path);
  database.unsafeMode(true);
  database.pragma("writable_schema = ON");
  database.prepare(sql).run(...values);
  database.close();
}

const CHANGES = ["UPDATE", "UPDATE OF empathy_level", "DELETE"];

/** Adds a view, and triggers for changes of a table, which all evaluate an expression. */
function addObjects(path: string, table: string, events: readonly string[], expression: string, number: number): void {
  const view = `CREATE VIEW bad_${number} AS SELECT ${expression} AS x, empathy_level FROM ${table}`;
  forge(path, "INSERT INTO sqlite_schema VALUES ('view', ?, ?, 0, ?)", `bad_${number}`, `bad_${number}`, view);
  for (const event of events) {
    const name = `bad_${event.replaceAll(" ", "_")}_${number}`;
    const trigger = `CREATE TRIGGER ${name} AFTER ${event} ON ${table} BEGIN SELECT ${expression.replaceAll(/\bid\b/g, "1")}; END`;
    forge(path, "INSERT INTO sqlite_schema VALUES ('trigger', ?, ?, 0, ?)", name, table, trigger);
  }
}

describe.each([
  { table: "interactions", schema: DOCUMENTED_15 },
  { table: "metrics", schema: FIELD_A },
] as const)("in a database with $table", ({ table, schema }) => {
  test.each([
    [
      [ENDLESS, HUGE],
      ["INSERT", ...CHANGES],
    ],
    [REACHING, CHANGES],
  ])("views and triggers with %j are never run", async (expressions, events) => {
    const folder = freshFolder();
    const [path, marker] = [join(folder, "m.db"), join(freshFolder(), "marker")];
    makeDatabase(path, schema);
    addRows(path, table, 12);
    // One row is quarantined, which deletes it here.
    for (const level of [9, 1])
      makeDatabase(path, `INSERT INTO ${table} (user_id, empathy_level, success) VALUES ('odd', ${level}, 1)`);
    for (const [number, expression] of expressions.entries())
      addObjects(path, table, events, expression.replaceAll("MARKER", marker), number);
    const before = stampOf(folder);
    expect(await planMigration(folder, { invalidRows: "quarantine" })).toMatchObject({ exit_code: 0 });
    expect(stampOf(folder)).toBe(before);
    expect(await migrate(folder, { invalidRows: "quarantine" })).toMatchObject({
      exit_code: 0,
      databases: [{ status: "migrated", verification: { rows_quarantined: 1 } }],
    });
    expect(await verifyMigration(folder)).toMatchObject({ exit_code: 0 });
    expect(await downgradeMigration(folder)).toMatchObject({ exit_code: 0 });
    expect(existsSync(marker)).toBe(false);
  });

  test("a trigger that would run for each record with a function of another program is named, and not run", async () => {
    const folder = freshFolder();
    const [path, marker] = [join(folder, "m.db"), join(freshFolder(), "marker")];
    makeDatabase(path, schema);
    addObjects(path, table, ["INSERT"], `writefile('${marker}', 'x')`, 1);
    const before = stampOf(folder);
    expect(await migrate(folder)).toMatchObject({
      exit_code: 3,
      databases: [{ status: "refused", reason: expect.stringContaining("the trigger bad_INSERT_1 on") as string }],
    });
    expect(stampOf(folder)).toBe(before);
    expect(existsSync(marker)).toBe(false);
  });

  /** A column of the table itself, which is evaluated whenever a row is read or written. */
  test.each([
    ["a default", `other INTEGER DEFAULT (${ENDLESS})`],
    ["a default that fills the memory", "other INTEGER DEFAULT (hex(zeroblob(20000000)))"],
    ["a CHECK that fills the memory", `other INTEGER CHECK (${HUGE} > 0)`],
    ["a generated column that fills the memory", `other INTEGER AS (${HUGE})`],
    ...REACHING.slice(0, 2).flatMap((call) => [
      [`a CHECK with ${call}`, `other INTEGER CHECK (${call})`],
      [`a generated column with ${call}`, `other INTEGER AS (${call})`],
      [`a default with ${call}`, `other INTEGER DEFAULT (${call})`],
    ]),
  ])("%s is named, or does no harm", async (_what, column) => {
    const folder = freshFolder();
    const [path, marker] = [join(folder, "m.db"), join(freshFolder(), "marker")];
    makeDatabase(path, schema);
    addRows(path, table, 5);
    const addColumn = "UPDATE sqlite_schema SET sql = substr(trim(sql), 1, length(trim(sql)) - 1) || ? WHERE name = ?";
    forge(path, addColumn, `, ${column.replaceAll("MARKER", marker)})`, table);
    const before = stampOf(folder);
    const report = await migrate(folder);
    if (report.exit_code !== 0) {
      expect(report).toMatchObject({ exit_code: 3, databases: [{ status: "refused" }] });
      expect(report.databases[0]?.reason).toMatch(
        /other|load_extension|writefile|readfile|edit|fts3_tokenizer|DEFAULT/i,
      );
      expect(stampOf(folder)).toBe(before);
    }
    expect(existsSync(marker)).toBe(false);
  });
});

const ENDLESS_ROWS =
  "CREATE VIEW endless AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x AS interaction_id, x AS metadata, x AS rowid FROM n";

test.each([
  ["a view", `${ENDLESS_ROWS.replace("VIEW endless", "VIEW interaction_metadata")}`],
  [
    "a virtual table",
    `${ENDLESS_ROWS}; CREATE VIRTUAL TABLE interaction_metadata USING fts5(interaction_id, metadata, content='endless', content_rowid='rowid')`,
  ],
])("%s with the name of a table of version 16 is refused, without reading it", async (kind, sql) => {
  const folder = freshFolder();
  const path = join(folder, "m.db");
  makeDatabase(path, DOCUMENTED_15, sql);
  addRows(path, "interactions", 5);
  const before = stampOf(folder);
  const report = await migrate(path);
  expect(report).toMatchObject({ exit_code: 3, databases: [{ status: "refused" }] });
  expect(report.databases[0]?.reason).toContain(
    `the name interaction_metadata, which ${kind} has. Nothing was changed`,
  );
  expect(stampOf(folder)).toEqual(before);
});
