import { copyFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { MetricsCollector } from "@perdura/v16";
import { beforeEach, expect, test } from "vitest";
import type { DatabaseContent } from "../../../../fixtures/database_content.ts";
import { connect, makeDatabase, query } from "../../../../test/legacy/legacy_database.ts";
import { downgradeMigration, planMigration, verifyMigration } from "../../src/index.ts";
import { expectConforms, migrate } from "../support/migrate.ts";
import { freshFolder } from "../support/folder.ts";
import { wholeContent } from "../support/whole_content.ts";
import { layoutSuite } from "./layout_suite.ts";
import {
  insertion,
  MISSING_LEVEL,
  oldTable,
  type OldTable,
  optionsFor,
  TYPES,
  VALID_ROWS,
  WRITTEN,
  type Written,
} from "./old_table.ts";

/** Changes the value of a column in one row. */
const changing = (table: string, column: string, row = 1, id = "id"): string =>
  `UPDATE ${table} SET ${column} = CASE typeof(${column}) WHEN 'text' THEN 'other' ELSE ${column} + 1 END WHERE ${id} = ${row}`;

/** Without the sums of version 16, which follow from the rows. */
function withoutRollup(content: DatabaseContent): DatabaseContent {
  const tables = Object.entries(content.tables).filter(([name]) => !name.startsWith("perdura_rollup"));
  const objects = content.objects.filter(({ name }) => !name.startsWith("perdura_"));
  return { ...content, objects, tables: Object.fromEntries(tables) };
}

const STORED = `SELECT i.id, typeof(user_id), user_id, typeof(level), level, typeof(success), success,
  typeof(response_time_ms), response_time_ms, typeof(timestamp), timestamp, typeof(m.metadata), m.metadata, my_note
  FROM interactions AS i LEFT JOIN {side} AS m ON m.interaction_id = i.id ORDER BY i.id`;

/** The rows of {@link VALID_ROWS} as `STORED` reads them, computed by SQLite from the literals. */
function storedRows({ names }: OldTable): unknown[] {
  const database = connect(":memory:");
  database.exec(
    "CREATE TABLE t (user_id TEXT, level INTEGER, success BOOLEAN, response_time_ms REAL, timestamp TIMESTAMP, metadata TEXT)",
  );
  for (const row of VALID_ROWS)
    database.exec(`INSERT INTO t VALUES (${WRITTEN.map((column) => row[column]).join(", ")})`);
  const value = (column: Written): string =>
    names[column] === undefined ? (column === "level" ? `${MISSING_LEVEL}` : "NULL") : column;
  const values = WRITTEN.map((column) => `typeof(${value(column)}), ${value(column)}`);
  const rows = database
    .prepare(`SELECT rowid, ${values.join(", ")}, 'note ' || rowid FROM t ORDER BY rowid`)
    .raw()
    .safeIntegers()
    .all();
  database.close();
  return rows;
}

const CLASSES: Record<Exclude<Written, "metadata" | "timestamp">, string[]> = {
  user_id: ["text"],
  level: ["integer"],
  success: ["integer"],
  response_time_ms: ["null", "real"],
};

layoutSuite((old) => {
  const { table, names, layout } = old;
  const columns = Object.entries(names) as [Written, string][];
  const options = optionsFor(old);
  let path: string;

  beforeEach(() => {
    path = join(freshFolder(), "m.db");
    makeDatabase(path, old.create, ...VALID_ROWS.map((row, index) => insertion(old, index + 1, row)));
  });

  test("up stores every value under its name in version 16, in a table like a new one", async () => {
    expect(await migrate(path, options)).toMatchObject({ exit_code: 0, databases: [{ status: "migrated" }] });
    const fresh = `${path}.new`;
    const collector = new MetricsCollector(fresh);
    collector.recordMetric("u", true, 1, { a: 1 });
    collector.close();
    const side =
      names.metadata === undefined ? "(SELECT 0 AS interaction_id, 0 AS metadata WHERE false)" : "interaction_metadata";
    expect(query(path, STORED.replace("{side}", side))).toEqual(storedRows(old));
    const COLUMNS = `SELECT name, type, "notnull", dflt_value, pk FROM pragma_table_xinfo('interactions') WHERE name <> 'my_note' ORDER BY name`;
    expect(query(path, COLUMNS)).toEqual(query(fresh, COLUMNS));
    const INDEXES = "SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND tbl_name = 'interactions' ORDER BY 1";
    expect(query(path, INDEXES)).toEqual(query(fresh, INDEXES));
    expect(await verifyMigration(path)).toMatchObject({ exit_code: 0 });
  });

  test("plan names each change, and changes nothing", async () => {
    const before = wholeContent(path);
    const { databases } = await planMigration(path, options);
    const titles = databases[0]?.steps.join("\n");
    for (const [column, name] of columns)
      if (name !== column && column !== "metadata") expect(titles).toContain(`rename the column ${name} to ${column}`);
    if (table !== "interactions") expect(titles).toContain(`rename the table ${table} to interactions`);
    if (names.metadata !== undefined) {
      expect(titles).toContain("move the metadata");
      expect(titles).toContain(`drop the column ${names.metadata}`);
    }
    expect(wholeContent(path)).toEqual(before);
  });

  test.each([true, false])("down restores the file, with a backup: %s", async (backup) => {
    const before = wholeContent(path);
    await migrate(path, options);
    const down = await downgradeMigration(path, { backup, saveReport: false });
    expect(down).toMatchObject({ exit_code: 0, databases: [{ status: "downgraded" }] });
    expect(wholeContent(path)).toEqual(before);
  });

  test("down stores rows of version 16 in the former columns", async () => {
    await migrate(path, options);
    const collector = new MetricsCollector(path);
    collector.recordInteraction("since", 4, false, 7.5);
    collector.recordMetric("since", false, 7.5, { tool: "write" });
    collector.close();
    expect(await downgradeMigration(path, { saveReport: false })).toMatchObject({ exit_code: 0 });
    const id = VALID_ROWS.length + 1;
    const expected: Record<string, unknown> = { user_id: "since", level: 4n, success: 0n, response_time_ms: 7.5 };
    const stored = columns.filter(([column]) => column in expected);
    expect(query(path, `SELECT ${stored.map(([, name]) => name).join(", ")} FROM ${table} WHERE id = ${id}`)).toEqual([
      stored.map(([column]) => expected[column]),
    ]);
    expect(
      query(
        path,
        names.metadata === undefined
          ? `SELECT metadata FROM interaction_metadata WHERE interaction_id = ${id + 1}`
          : `SELECT ${names.metadata} FROM ${table} WHERE id = ${id + 1}`,
      ),
    ).toEqual([['{"tool":"write"}']]);
    if (names.level === undefined)
      expect(query(path, `SELECT level FROM perdura_kept_levels WHERE id = ${id}`)).toEqual([[4n]]);
  });

  test.each(columns)("verify finds another value of %s after up and after down", async (column, name) => {
    await migrate(path, options);
    makeDatabase(
      path,
      column === "metadata"
        ? changing("interaction_metadata", column, 1, "interaction_id")
        : changing("interactions", column),
    );
    expect(await verifyMigration(path)).toMatchObject({ exit_code: 4, databases: [{ status: "differs" }] });
    expect(await downgradeMigration(path, { saveReport: false })).toMatchObject({ exit_code: 0 });
    expect(await verifyMigration(path)).toMatchObject({ exit_code: 0 });
    makeDatabase(path, changing(table, name, 3));
    expect(await verifyMigration(path)).toMatchObject({ exit_code: 4, databases: [{ status: "differs" }] });
  });

  test.each(columns)("up finds another value of %s before the commit", async (_column, name) => {
    const before = wholeContent(path);
    const { databases } = await migrate(path, {
      ...options,
      onProgress: ({ stage }) => {
        if (stage === "verify") makeDatabase(`${path}.v15.bak`, changing(table, name));
      },
    });
    expect(databases).toMatchObject([{ status: "failed", reason: expect.stringContaining("The proof failed") }]);
    expect(wholeContent(path)).toEqual(before);
  });

  test.each(columns)("down finds another value of %s before the commit, also in quarantine", async (column, name) => {
    makeDatabase(path, insertion(old, 90, { ...(VALID_ROWS[0] as Record<Written, string>), user_id: "x'00ff'" }));
    await migrate(path, { ...options, invalidRows: "quarantine" });
    const before = wholeContent(path);
    for (const change of [
      column === "metadata"
        ? changing("interaction_metadata", column, 1, "interaction_id")
        : changing("interactions", column),
      changing("perdura_quarantine", name, 90),
    ]) {
      const { databases } = await downgradeMigration(path, {
        saveReport: false,
        onProgress: ({ stage }) => {
          if (stage === "verify") makeDatabase(`${path}.v16.bak`, change);
        },
      });
      expect(databases).toMatchObject([{ status: "failed", reason: expect.stringContaining("The proof failed") }]);
      expect(wholeContent(path)).toEqual(before);
      rmSync(`${path}.v16.bak`, { force: true });
    }
  });

  const kept = columns.filter(([column]) => column !== "metadata");

  test.each(kept)("views, indexes, triggers and references that use %s go along, and return", async (_column, name) => {
    makeDatabase(
      path,
      `CREATE INDEX own_index ON ${table}(${name}, my_note)`,
      `CREATE VIEW own_view AS SELECT id, ${name} AS value FROM ${table} ORDER BY id`,
      `CREATE TABLE own_log (old, new)`,
      `CREATE TRIGGER own_trigger AFTER UPDATE OF ${name} ON ${table} BEGIN INSERT INTO own_log VALUES (OLD.${name}, NEW.${name}); END`,
      `CREATE TABLE own_child (id INTEGER PRIMARY KEY, parent INTEGER REFERENCES ${table}(id))`,
      "INSERT INTO own_child VALUES (1, 1), (2, 3)",
    );
    const before = wholeContent(path);
    const seen = query(path, "SELECT * FROM own_view");
    expect(await migrate(path, options)).toMatchObject({ exit_code: 0 });
    expect(query(path, "SELECT * FROM own_view")).toEqual(seen);
    expect(query(path, "PRAGMA foreign_key_check")).toEqual([]);
    expect(await downgradeMigration(path, { backup: false, saveReport: false })).toMatchObject({ exit_code: 0 });
    expect(wholeContent(path)).toEqual(before);
  });

  test.each(kept)("a broken reference of %s is kept in both directions", async (column) => {
    const referring = join(freshFolder(), "m.db");
    const other = oldTable(layout, { [column]: `${TYPES[column]} REFERENCES own(value)` });
    makeDatabase(referring, "PRAGMA foreign_keys = OFF", "CREATE TABLE own (value PRIMARY KEY)", other.create);
    const unchecked = connect(referring);
    unchecked.pragma("foreign_keys = OFF");
    for (const [index, row] of VALID_ROWS.entries()) unchecked.exec(insertion(other, index + 1, row));
    unchecked.close();
    const before = wholeContent(referring);
    expect(await migrate(referring, options)).toMatchObject({ exit_code: 0 });
    expect(await downgradeMigration(referring, { backup: false, saveReport: false })).toMatchObject({ exit_code: 0 });
    expect(wholeContent(referring)).toEqual(before);
  });

  test("a full-text index over a column that gets another name is named", async () => {
    const renamed = columns.find(([column, name]) => column !== name)?.[1] ?? "user_id";
    makeDatabase(path, `CREATE VIRTUAL TABLE words USING fts5(${renamed}, content = '${table}', content_rowid = 'id')`);
    const { databases } = await migrate(path, options);
    expect(databases).toMatchObject([{ status: "refused", reason: expect.stringContaining("virtual table words") }]);
  });

  test("a full-text index that was made since, over a column that gets its former name, is named by down", async () => {
    await migrate(path, options);
    const renamed = columns.find(([column, name]) => column !== name)?.[0] ?? "user_id";
    makeDatabase(
      path,
      `CREATE VIRTUAL TABLE words USING fts5(${renamed}, content = 'interactions', content_rowid = 'id')`,
    );
    const { databases } = await downgradeMigration(path, { saveReport: false });
    expect(databases).toMatchObject([{ status: "refused", reason: expect.stringContaining("virtual table words") }]);
  });

  test("invalid rows go to quarantine with every value, and return", async () => {
    makeDatabase(
      path,
      insertion(old, 90, { ...(VALID_ROWS[0] as Record<Written, string>), response_time_ms: "'slow'" }),
      insertion(old, 91, { ...(VALID_ROWS[2] as Record<Written, string>), user_id: "x'00ff'" }),
      insertion(old, 92, VALID_ROWS[1] as Record<Written, string>),
    );
    const before = wholeContent(path);
    const refused = await migrate(path, options);
    expect(refused.databases).toMatchObject([{ status: "refused", decisions: expect.arrayContaining(["quarantine"]) }]);
    expect(await migrate(path, { ...options, invalidRows: "quarantine" })).toMatchObject({
      exit_code: 0,
      databases: [{ verification: { rows_after: VALID_ROWS.length + 1, rows_quarantined: 2 } }],
    });
    expect(await verifyMigration(path)).toMatchObject({ exit_code: 0 });
    expect(await downgradeMigration(path, { backup: false, saveReport: false })).toMatchObject({ exit_code: 0 });
    expect(wholeContent(path)).toEqual(before);
  });

  const converted = kept.filter((one): one is [keyof typeof CLASSES, string] => Object.hasOwn(CLASSES, one[0]));

  test.each(converted)("%s of another type is converted, and returns", async (column) => {
    const typed = join(freshFolder(), "m.db");
    const other = oldTable(layout, {
      [column]: `${column === "user_id" ? "NUMERIC" : "TEXT"}${column === "response_time_ms" ? "" : " NOT NULL"}`,
    });
    const rows = VALID_ROWS.map((row) => (column === "user_id" ? { ...row, user_id: "'70'" } : row));
    makeDatabase(typed, other.create, ...rows.map((row, index) => insertion(other, index + 1, row)));
    const before = wholeContent(typed);
    expect(await migrate(typed, options)).toMatchObject({ exit_code: 0 });
    expect(query(typed, `SELECT DISTINCT typeof(${column}) FROM interactions ORDER BY 1`)).toEqual(
      query(typed, `SELECT DISTINCT value FROM json_each('${JSON.stringify(CLASSES[column])}') ORDER BY 1`),
    );
    expect(await downgradeMigration(typed, { backup: false, saveReport: false })).toMatchObject({ exit_code: 0 });
    expect(wholeContent(typed)).toEqual(before);
  });

  test.runIf(table !== "interactions" && table !== layout.programs?.rebuilt)(
    "rows are merged into interactions of version 16, and return",
    async () => {
      const made = `${path}.new`;
      const collector = new MetricsCollector(made);
      collector.recordMetric("new", true, 1, { a: 1 });
      collector.close();
      // A program of 16 opens no file with the table of an old one, so another program put both into one file.
      makeDatabase(made, "ALTER TABLE interactions ADD COLUMN my_note TEXT");
      makeDatabase(made, old.create, ...VALID_ROWS.map((row, index) => insertion(old, index + 1, row)));
      path = made;
      const before = wholeContent(path);
      expect(await migrate(path, options)).toMatchObject({
        exit_code: 0,
        databases: [
          {
            layout: "both",
            layout_title: `two metrics tables (${table} and interactions)`,
            verification: { rows_after: VALID_ROWS.length + 1, differences: [] },
          },
        ],
      });
      expect(await verifyMigration(path)).toMatchObject({ exit_code: 0 });
      expect(await downgradeMigration(path, { backup: false, saveReport: false })).toMatchObject({ exit_code: 0 });
      expect(withoutRollup(wholeContent(path))).toEqual(withoutRollup(before));
    },
  );

  test.runIf(layout.programs !== undefined)("its programs fail with a message after the migration", async () => {
    await migrate(path, options);
    const { table: written = "", columns: named = [] } = layout.programs ?? {};
    const insert = `INSERT INTO ${written} (${named.join(", ")}) VALUES (${named.map(() => "1").join(", ")})`;
    expect(() => makeDatabase(path, insert)).toThrow(`the table ${written} is now interactions`);
    expect(() => makeDatabase(path, `SELECT * FROM ${written}`)).toThrow(/malformed JSON|JSON path/);
    const copy = `${path}.copy`;
    copyFileSync(path, copy);
    expectConforms(copy);
  });
});
