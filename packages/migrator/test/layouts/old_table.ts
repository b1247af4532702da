import { DOCUMENTED_15 as PLAIN_15, makeDatabase } from "../../../../test/legacy/legacy_database.ts";
import { columnIn, DOCUMENTED_16, TABLE_LAYOUTS, type TableLayout } from "../../src/database/layouts/table_layouts.ts";

/** Columns of version 16 that programs write, and metadata. */
export const WRITTEN = ["user_id", "level", "success", "response_time_ms", "timestamp", "metadata"] as const;
export type Written = (typeof WRITTEN)[number];

/** Declared types of a new database. */
export const TYPES: Record<Written, string> = {
  user_id: "TEXT NOT NULL",
  level: "INTEGER NOT NULL",
  success: "BOOLEAN NOT NULL",
  response_time_ms: "REAL",
  timestamp: "TIMESTAMP DEFAULT CURRENT_TIMESTAMP",
  metadata: "TEXT",
};

/** A table of one layout as programs create it. */
export interface OldTable {
  layout: TableLayout;
  table: string;
  /** The name that a column of version 16 has in it; undefined if it has none. */
  names: Partial<Record<Written, string>>;
  /** Statements that create it, with the indexes of its programs. */
  create: string;
}

/**
 * Every layout that `up` migrates, made from the layouts themselves: a new one is tested by all suites that use this
 * list.
 */
export const OLD_TABLES: readonly (readonly [title: string, old: OldTable])[] = TABLE_LAYOUTS.filter(
  (layout) => layout !== DOCUMENTED_16,
).map((layout) => {
  const old = oldTable(layout);
  return [titleOf(old), old] as const;
});

/** Its table and columns, for the name of a test. */
export function titleOf({ table, names }: OldTable): string {
  return `${table} (${Object.values(names).join(", ")})`;
}

/** @param types Other declared types of columns. */
export function oldTable(layout: TableLayout, types: Partial<Record<Written, string>> = {}): OldTable {
  const { table } = layout;
  const names = Object.fromEntries(
    WRITTEN.flatMap((column) => {
      const name = columnIn(layout, column);
      return name === null ? [] : [[column, name]];
    }),
  ) as OldTable["names"];
  const columns = WRITTEN.flatMap((column) =>
    names[column] === undefined ? [] : [`${names[column]} ${types[column] ?? TYPES[column]}`],
  );
  const indexes = Object.entries(layout.programs?.indexes ?? {})
    .filter(([, listed]) => listed.split(",").every((column) => Object.values(names).includes(column)))
    .map(([name, listed]) => `CREATE INDEX ${name} ON ${table}(${listed});`);
  return {
    layout,
    table,
    names,
    create: `CREATE TABLE ${table} (id INTEGER PRIMARY KEY AUTOINCREMENT, ${columns.join(", ")}, my_note TEXT); ${indexes.join(" ")}`,
  };
}

/** The documented table with the further column of these tables, so that their rows can be merged into it. */
export const DOCUMENTED_15_WITH_NOTE: string = PLAIN_15.replace(
  "CURRENT_TIMESTAMP\n",
  "CURRENT_TIMESTAMP,\n    my_note TEXT\n",
);

/** A statement that adds a row; values are SQL literals, and those of columns that the table lacks are left out. */
export function insertion({ table, names }: OldTable, id: number, values: Partial<Record<Written, string>>): string {
  const present = WRITTEN.filter((column) => names[column] !== undefined && values[column] !== undefined);
  const columns = present.map((column) => names[column]);
  return `INSERT INTO ${table} (id, ${columns.join(", ")}, my_note) VALUES (${id}, ${present.map((column) => values[column]).join(", ")}, 'note ${id}')`;
}

/** Valid rows, each with other values, by id. */
export const VALID_ROWS: readonly Record<Written, string>[] = [
  ["'alice'", "1", "1", "12.5", "'2025-10-20 12:00:00'", '\'{"tool": "search", "n": 1.0}\''],
  ["'Alice'", "5", "0", "NULL", "'2025-10-20T12:00:01'", "NULL"],
  ["'007'", "3", "1", "0.0", "'2025-10-20 12:00:02.5'", "'not JSON'"],
  ["'o''brien ✓'", "2", "0", "1e300", "'2025-10-20 12:00:03'", "''"],
  ["'1e3'", "4", "1", "9", "'2025-10-20 12:00:04'", "'{\"x\": NaN}'"],
].map(
  (values) => Object.fromEntries(WRITTEN.map((column, index) => [column, values[index]])) as Record<Written, string>,
);

/** The level that rows of a layout without levels get in tests. */
export const MISSING_LEVEL = 2 as const;

/** Options with which `up` migrates a table of the layout. */
export function optionsFor({ names }: OldTable): { missingLevel?: typeof MISSING_LEVEL; saveReport: false } {
  return { saveReport: false, ...(names.level === undefined ? { missingLevel: MISSING_LEVEL } : {}) };
}

/** Gives the names of field layout A in a statement those of another layout, which has the same columns. */
export function spelled({ table, names }: OldTable, sql: string): string {
  const words: Record<string, string | undefined> = { ...names, metrics: table, empathy_level: names.level };
  return sql.replaceAll(
    /\b(?:metrics|user_id|empathy_level|success|response_time_ms|timestamp|metadata)\b/g,
    (word) => {
      const name = words[word];
      if (name === undefined) throw new Error(`The table ${table} has no ${word}.`);
      return name;
    },
  );
}

/** The table with other declarations of columns, which have the names of field layout A. */
export function redeclared(old: OldTable, types: Partial<Record<Written, string>>): OldTable {
  const own = Object.entries(types).map(([column, type]) => [column, spelled(old, type)]);
  return oldTable(old.layout, Object.fromEntries(own));
}

/** Adds rows: users `u1` to `u3`, levels 1 to 5, one row in three with metadata if the table has them. */
export function fill(path: string, old: OldTable, count: number): void {
  const rows = Array.from({ length: count }, (_, index) => index + 1);
  makeDatabase(
    path,
    `BEGIN; ${rows
      .map((n) =>
        insertion(old, n, {
          user_id: `'u${(n % 3) + 1}'`,
          level: String((n % 5) + 1),
          success: String(n % 2),
          response_time_ms: (n / 8).toFixed(3),
          timestamp: "'2025-10-20 12:00:00'",
          metadata: n % 3 === 0 ? `'{"n": ${n}}'` : "NULL",
        }),
      )
      .join("; ")}; COMMIT`,
  );
}
