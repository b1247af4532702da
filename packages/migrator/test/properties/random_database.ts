import fc from "fast-check";
import type { MigrationOptions } from "../../src/index.ts";
import { connect, DOCUMENTED_15, FIELD_A, FIELD_B, FIELD_PATTERNS } from "../../../../test/legacy/legacy_database.ts";
import { type RandomRow, randomRows } from "./random_values.ts";

/** A random pre-16 database. */
export interface RandomDatabase {
  layout: keyof typeof LAYOUTS;
  variant: keyof typeof VARIANTS;
  pragmas: string[];
  rows: RandomRow[];
  second: RandomRow[];
  deleted: number;
  own: string[];
}

const SIDE_TABLE = `CREATE TABLE interaction_metadata (
  interaction_id INTEGER PRIMARY KEY REFERENCES interactions(id) ON DELETE CASCADE, metadata TEXT NOT NULL)`;
const METRICS_NEW = FIELD_B.split(";")[0]?.replace("TABLE metrics", "TABLE metrics_new") as string;
/** Pattern tables of the field programs. */
const PATTERNS = `${FIELD_PATTERNS};
  INSERT INTO patterns (id, agent_id, pattern_type, name, context) VALUES ('p', 'a', 't', 'n', '{"x": NaN}')`;

/** Statements before the rows and after them; `tables` are those that get the rows. */
const LAYOUTS = {
  "documented-15": { before: [DOCUMENTED_15], tables: ["interactions"], after: [] },
  "documented-15 with metadata": { before: [DOCUMENTED_15, SIDE_TABLE], tables: ["interactions"], after: [] },
  "field-a": { before: [FIELD_A], tables: ["metrics"], after: [] },
  "field-b": { before: [FIELD_B], tables: ["metrics"], after: [] },
  "field-c": {
    before: [FIELD_A],
    tables: ["metrics"],
    after: [
      "DROP INDEX idx_user_level; ALTER TABLE metrics DROP COLUMN empathy_level; CREATE INDEX idx_user ON metrics(user_id)",
    ],
  },
  "field-d": {
    before: [METRICS_NEW],
    tables: ["metrics_new"],
    after: ["ALTER TABLE metrics_new RENAME TO metrics; CREATE INDEX idx_user ON metrics(user_id)"],
  },
  "half-upgraded": { before: [FIELD_A, METRICS_NEW], tables: ["metrics"], after: [] },
  "renamed never": { before: [METRICS_NEW], tables: ["metrics_new"], after: [] },
  "combined-a": { before: [PATTERNS, FIELD_A], tables: ["metrics"], after: [] },
  "combined-b": { before: [FIELD_B, PATTERNS], tables: ["metrics"], after: [] },
  "both a": { before: [FIELD_A, DOCUMENTED_15], tables: ["interactions", "metrics"], after: [] },
  "both b": { before: [DOCUMENTED_15, SIDE_TABLE, FIELD_B], tables: ["interactions", "metrics"], after: [] },
} as const;

/** Changes that a user may have made in the statements of a layout. */
const VARIANTS = {
  unchanged: (statement: string) => statement,
  "case ignored": (statement: string) =>
    statement.replaceAll("user_id TEXT NOT NULL", "user_id TEXT NOT NULL COLLATE NOCASE"),
  "ids used again": (statement: string) => statement.replaceAll(" AUTOINCREMENT", ""),
  "in capitals": (statement: string) =>
    statement.replaceAll(/\b(?:user_id|success|response_time_ms|empathy_level)\b/g, (word) => word.toUpperCase()),
  "levels of text": (statement: string) => withTypes(statement, { empathy_level: "VARCHAR(10)" }),
  "numbers of text": (statement: string) => withTypes(statement, { response_time_ms: "TEXT", success: "TEXT" }),
  "users of numbers": (statement: string) => withTypes(statement, { user_id: "INTEGER", empathy_level: "REAL" }),
  "no types": (statement: string) => withTypes(statement, { empathy_level: "", response_time_ms: "", success: "" }),
} as const;

function withTypes(statement: string, types: Record<string, string>): string {
  return statement.replaceAll(
    /\b(user_id|success|response_time_ms|empathy_level) (?:TEXT|INTEGER|BOOLEAN|REAL)/g,
    (all, name) => (Object.hasOwn(types, name) ? `${name} ${types[name]}` : all),
  );
}

/** Objects of the user; `{table}` stands for the layout's table with the rows. */
const OWN = [
  "CREATE INDEX my_users ON {table}(user_id, timestamp DESC)",
  "CREATE INDEX my_partial ON {table}(response_time_ms) WHERE success",
  "CREATE INDEX my_expression ON {table}(lower(user_id), id % 7)",
  "CREATE VIEW my_view AS SELECT id, user_id AS u FROM {table} WHERE success ORDER BY id DESC",
  "CREATE VIEW my_broken AS SELECT gone FROM no_such_table",
  "CREATE TABLE my_log (a, b); CREATE TRIGGER my_trigger AFTER UPDATE ON {table} BEGIN INSERT INTO my_log VALUES (NEW.id, NEW.user_id); END",
  "CREATE TRIGGER my_guard BEFORE UPDATE ON {table} BEGIN SELECT RAISE(ABORT, 'never'); END",
  "CREATE TABLE my_set (k TEXT, v, PRIMARY KEY (v, k)) WITHOUT ROWID; INSERT INTO my_set VALUES ('a', 1), ('b', 2.5), ('c', x'00')",
  "CREATE TABLE my_sums (a INTEGER, b INTEGER AS (a * 2), c AS (a || 'x') STORED); INSERT INTO my_sums (a) VALUES (1), (NULL), (4611686018427387905)",
  "CREATE TABLE my_counted (id INTEGER PRIMARY KEY AUTOINCREMENT, x); INSERT INTO my_counted (x) VALUES (1), ('2'), (9e999); DELETE FROM my_counted WHERE id = 3",
  "CREATE TABLE my_quoted (a TEXT CHECK (a <> 'no'), \"b \"\"c\"\" metrics\" DEFAULT 'metrics'); INSERT INTO my_quoted (a) VALUES ('metrics')",
  "ALTER TABLE {table} ADD COLUMN my_team TEXT DEFAULT 'core'",
  "ANALYZE",
] as const;

export const randomDatabase: fc.Arbitrary<RandomDatabase> = fc.record({
  layout: fc.constantFrom(...(Object.keys(LAYOUTS) as (keyof typeof LAYOUTS)[])),
  variant: fc.constantFrom("unchanged", ...(Object.keys(VARIANTS) as (keyof typeof VARIANTS)[])),
  pragmas: fc
    .tuple(
      fc.constantFrom("page_size = 512", "page_size = 4096", "page_size = 65536"),
      fc.constantFrom("encoding = 'UTF-8'", "encoding = 'UTF-8'", "encoding = 'UTF-16le'", "encoding = 'UTF-16be'"),
      fc.constantFrom("auto_vacuum = NONE", "auto_vacuum = FULL", "auto_vacuum = INCREMENTAL"),
      fc.constantFrom("journal_mode = DELETE", "journal_mode = WAL", "journal_mode = TRUNCATE"),
      fc.constantFrom("user_version = 0", "user_version = 0", "user_version = 3"),
    )
    .map((each) => [...each]),
  rows: randomRows,
  second: randomRows,
  deleted: fc.nat(6),
  own: fc.subarray([...OWN], { maxLength: 4 }),
});

export const randomOptions: fc.Arbitrary<MigrationOptions> = fc.record({
  missingLevel: fc.constantFrom(1, 2, 3, 4, 5),
  nonFinite: fc.constantFrom(undefined, "null", "text"),
  fence: fc.constantFrom("tombstone", "none"),
  backup: fc.boolean(),
});

const COLUMNS = ["user_id", "empathy_level", "success", "response_time_ms", "timestamp", "metadata"] as const;

/** Makes the database at a path. */
export function writeRandomDatabase(path: string, random: RandomDatabase): void {
  const { layout, variant, pragmas, rows, second, deleted, own } = random;
  const { before, tables, after } = LAYOUTS[layout];
  const database = connect(path);
  database.pragma("foreign_keys = OFF");
  for (const pragma of pragmas) database.pragma(pragma);
  for (const statement of before) database.exec(VARIANTS[variant](statement));
  for (const [index, table] of tables.entries()) {
    const there = new Set(database.prepare("SELECT lower(name) FROM pragma_table_info(?)").pluck().all(table));
    const columns = COLUMNS.filter((column) => there.has(column));
    for (const row of index === 0 ? rows : second) {
      database.exec(
        `INSERT INTO ${table} (id, ${columns.join(", ")}) VALUES (${[row.id, ...columns.map((column) => row[column])].join(", ")})`,
      );
      if (!there.has("metadata") && row.metadata !== "NULL" && before.some((statement) => statement === SIDE_TABLE))
        database.exec(`INSERT INTO interaction_metadata VALUES (${row.id}, ${row.metadata})`);
    }
    const gone = `(SELECT id FROM ${table} ORDER BY id DESC LIMIT ${deleted})`;
    if (deleted < 3) database.exec(`DELETE FROM ${table} WHERE id IN ${gone}`);
    if (deleted < 3 && before.some((statement) => statement === SIDE_TABLE) && table === "interactions")
      database.exec("DELETE FROM interaction_metadata WHERE interaction_id NOT IN (SELECT id FROM interactions)");
  }
  for (const statement of after) database.exec(statement);
  const first = layout === "field-d" ? "metrics" : tables[0];
  for (const statement of own) database.exec(statement.replaceAll("{table}", first));
  database.close();
}
