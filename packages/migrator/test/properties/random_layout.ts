import { MetricsCollector } from "@perdura/v16";
import fc from "fast-check";
import { connect } from "../../../../test/legacy/legacy_database.ts";
import { sqlName, sqlText } from "@perdura/internals/text/quoted_sql.js";
import { DOCUMENTED_16, type TableLayout } from "../../src/database/layouts/table_layouts.ts";
import { addLayout, madeUpLayouts } from "../layouts/made_up_layouts.ts";
import { OLD_TABLES, oldTable } from "../layouts/old_table.ts";
import { addPatterns, usageOf, type FieldTable, fieldTables } from "../patterns/field_patterns.ts";
import { type RandomRow, randomRows } from "./random_values.ts";

/** A table of metrics as an owner may have changed it, with rows, constraints and objects of his own. */
export interface RandomLayout {
  /** A layout, which gives the names; or {@link MADE_BY_16}: types and constraints are then its own. */
  layout: TableLayout | typeof MADE_BY_16;
  /** The level column: that of the layout, or as in other layouts. */
  level: "own" | "level" | "none";
  metadata: "column" | "side table" | "none";
  types: Record<(typeof COLUMNS)[number], string>;
  order: number[];
  key: string;
  more: readonly string[];
  own: readonly string[];
  rows: RandomRow[];
  patterns: FieldTable | null;
  journal: "DELETE" | "WAL";
}

/** A database that version 16 made, with rows and sums; other programs added the rows of the layout. */
const MADE_BY_16 = "made by version 16" as const;

const COLUMNS = ["user_id", "level", "success", "response_time_ms", "timestamp"] as const;

const SPECIFIED = {
  user_id: "TEXT NOT NULL",
  level: "INTEGER NOT NULL",
  success: "BOOLEAN NOT NULL",
  response_time_ms: "REAL",
  timestamp: "TIMESTAMP DEFAULT CURRENT_TIMESTAMP",
};

const otherType = (suffix: string): fc.Arbitrary<string> =>
  fc
    .constantFrom(
      "TEXT",
      "VARCHAR(20)",
      "REAL",
      "",
      "BLOB",
      "INTEGER",
      "NUMERIC(10, 2)",
      "any thing",
      "DOUBLE PRECISION",
    )
    .map((type) => `${type}${suffix}`);

const typeOf = (column: keyof typeof SPECIFIED, suffix: string): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 4, arbitrary: fc.constant(SPECIFIED[column]) },
    { weight: 1, arbitrary: otherType(suffix) },
    { weight: 1, arbitrary: fc.constant(SPECIFIED[column].replace(" NOT NULL", "")) },
  );

/** Columns and constraints inside the table; {level} is its level column, or the user id where it has none. */
const MORE = [
  "CHECK ({level} BETWEEN 1 AND 5)",
  "CHECK (length(user_id) < 40)",
  "CHECK (success IN (0, 1))",
  "CHECK (response_time_ms IS NULL OR response_time_ms < 1e6)",
  "CONSTRAINT once UNIQUE (user_id, timestamp)",
  "UNIQUE (user_id, success, response_time_ms)",
  "my_team TEXT NOT NULL DEFAULT 'core'",
  "my_team TEXT",
  '"My ""own"" Group" TEXT',
  "my_cost REAL NOT NULL DEFAULT 0.5 CHECK (my_cost >= 0)",
  "my_double REAL AS (response_time_ms * 2)",
  "my_label TEXT COLLATE NOCASE",
] as const;

/** Objects in addition to it; {table} and {level} as above. */
const OWN = [
  "CREATE INDEX my_levels ON {table}({level}, user_id)",
  "CREATE INDEX my_partial ON {table}(response_time_ms) WHERE success",
  "CREATE UNIQUE INDEX my_once ON {table}(user_id, timestamp)",
  "CREATE UNIQUE INDEX my_users ON {table}(user_id)",
  "CREATE VIEW my_view AS SELECT id, user_id AS u, response_time_ms FROM {table} WHERE success",
  "CREATE TABLE my_log (a, b); CREATE TRIGGER my_audit AFTER INSERT ON {table} BEGIN INSERT INTO my_log VALUES (NEW.id, NEW.user_id); END",
  "CREATE TABLE my_gone (a); CREATE TRIGGER my_leaving AFTER DELETE ON {table} BEGIN INSERT INTO my_gone VALUES (OLD.user_id); END",
  "CREATE TABLE my_total (n INTEGER); INSERT INTO my_total SELECT count(*) FROM {table}; CREATE TRIGGER my_in AFTER INSERT ON {table} BEGIN UPDATE my_total SET n = n + 1; END; CREATE TRIGGER my_out AFTER DELETE ON {table} BEGIN UPDATE my_total SET n = n - 1; END",
  "CREATE TRIGGER my_guard BEFORE INSERT ON {table} WHEN NEW.user_id = '' BEGIN SELECT RAISE(ABORT, 'no user'); END",
  "CREATE TRIGGER my_wall BEFORE INSERT ON {table} BEGIN SELECT RAISE(ABORT, 'closed'); END",
  "CREATE TABLE my_notes (interaction_id INTEGER REFERENCES {table}(id), note); INSERT INTO my_notes SELECT id, 'n' FROM {table} LIMIT 2",
  "CREATE VIRTUAL TABLE my_words USING fts5(user_id, content = '{table}', content_rowid = 'id'); INSERT INTO my_words (my_words) VALUES ('rebuild'); CREATE TRIGGER my_words_in AFTER INSERT ON {table} BEGIN INSERT INTO my_words (rowid, user_id) VALUES (NEW.id, NEW.user_id); END; CREATE TRIGGER my_words_out AFTER DELETE ON {table} BEGIN INSERT INTO my_words (my_words, rowid, user_id) VALUES ('delete', OLD.id, OLD.user_id); END",
] as const;

/** Any table of metrics with any values. */
export const randomLayout: fc.Arbitrary<RandomLayout> = fc.record({
  layout: fc.oneof(
    {
      weight: 2,
      arbitrary: fc.constantFrom<RandomLayout["layout"]>(MADE_BY_16, ...OLD_TABLES.map(([, { layout }]) => layout)),
    },
    { weight: 1, arbitrary: madeUpLayouts },
  ),
  level: fc.constantFrom("own", "own", "own", "level", "none"),
  metadata: fc.constantFrom("column", "column", "side table", "none"),
  types: fc.record({
    user_id: typeOf("user_id", " NOT NULL"),
    level: typeOf("level", " NOT NULL"),
    success: typeOf("success", " NOT NULL"),
    response_time_ms: typeOf("response_time_ms", ""),
    timestamp: fc.constant(SPECIFIED.timestamp),
  }),
  order: fc.shuffledSubarray([0, 1, 2, 3, 4, 5], { minLength: 6 }),
  key: fc.constantFrom("INTEGER PRIMARY KEY AUTOINCREMENT", "INTEGER PRIMARY KEY AUTOINCREMENT", "INTEGER PRIMARY KEY"),
  more: fc.oneof(
    { weight: 2, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: fc.subarray([...MORE], { maxLength: 2 }) },
  ),
  own: fc.subarray([...OWN], { maxLength: 2 }),
  rows: randomRows,
  patterns: fc.option(fieldTables, { freq: 2 }),
  journal: fc.constantFrom("DELETE", "WAL"),
});

/** Makes the migrator know the layout for as long as the result is in use. */
export function inUse(random: RandomLayout): RandomLayout & Disposable {
  const { layout } = random;
  return { ...random, [Symbol.dispose]: addLayout(layout === MADE_BY_16 ? DOCUMENTED_16 : layout) };
}

const isMadeUp = (layout: RandomLayout["layout"]): layout is TableLayout =>
  layout !== MADE_BY_16 && !OLD_TABLES.some(([, old]) => old.layout === layout);

/** Writes the database at a path. Rows and objects that its own constraints refuse are left out. */
export function writeRandomLayout(path: string, layout: RandomLayout): void {
  const isMade = layout.layout === MADE_BY_16;
  if (isMade) recordWith16(path);
  const database = connect(path);
  database.pragma("foreign_keys = OFF");
  database.pragma(`journal_mode = ${layout.journal}`);
  const { types, metadata, rows } = layout;
  const { table: plain, names: plainNames } = oldTable(layout.layout === MADE_BY_16 ? DOCUMENTED_16 : layout.layout);
  // Programs of the known layouts quoted no name.
  const spelled = isMadeUp(layout.layout) ? sqlName : (name: string): string => name;
  const table = spelled(plain);
  const names = Object.fromEntries(
    Object.entries(plainNames).map(([column, name]) => [column, spelled(name)]),
  ) as typeof plainNames;
  const isInteractions = plain === "interactions";
  // Only `interactions` exists with the levels of version 16, and not without levels.
  const own = layout.level === "none" && !isInteractions ? undefined : names.level;
  const level = layout.level === "level" && isInteractions ? "level" : own;
  const nameOf = (column: string): string => names[column as keyof typeof names] ?? column;
  const stored = names.metadata !== undefined && metadata === "column" ? names.metadata : undefined;
  const columns = [
    `${nameOf("user_id")} ${types.user_id}`,
    ...(level === undefined ? [] : [`${level} ${types.level}`]),
    `${nameOf("success")} ${types.success}`,
    `${nameOf("response_time_ms")} ${types.response_time_ms}`,
    `${nameOf("timestamp")} ${types.timestamp}`,
    ...(stored === undefined ? [] : [`${stored} TEXT`]),
  ];
  const ordered = layout.order.flatMap((place) => columns[place] ?? []);
  // A table without levels has no such constraint.
  const more = (isMade ? [] : layout.more).filter((sql) => level !== undefined || !sql.startsWith("CHECK ({level}"));
  const [constraints, further] = [more.filter(isConstraint), more.filter((sql) => !isConstraint(sql))];
  const known = new Set(further.map((sql) => sql.split(" ")[0]));
  const added = further.filter(
    (sql, index) => further.findIndex((one) => one.split(" ")[0] === sql.split(" ")[0]) === index,
  );
  if (known.size !== added.length) throw new Error("A column twice.");
  const text = (sql: string): string =>
    sql
      .replaceAll("'{table}'", sqlText(plain))
      .replaceAll("{table}", table)
      .replaceAll("{level}", level ?? "user_id")
      .replaceAll(/\b(?:user_id|success|response_time_ms|timestamp)\b/g, nameOf);
  if (!isMade)
    database.exec(
      `CREATE TABLE ${table} (${[`id ${layout.key}`, ...ordered, ...[...added, ...constraints].map(text)].join(",\n  ")})`,
    );
  if (!isMade && metadata === "side table" && isInteractions)
    database.exec(
      "CREATE TABLE interaction_metadata (interaction_id INTEGER PRIMARY KEY REFERENCES interactions(id) ON DELETE CASCADE, metadata TEXT NOT NULL)",
    );
  const written = ["user_id", "success", "response_time_ms", "timestamp"] as const;
  for (const row of rows.filter(isUsable)) {
    const cells = [row.id, ...written.map((column) => row[column])];
    const named = ["id", ...written.map(nameOf)];
    if (level !== undefined) {
      cells.push(row.empathy_level);
      named.push(level);
    }
    if (stored !== undefined) {
      cells.push(row.metadata);
      named.push(stored);
    }
    if (!tryToRun(database, `INSERT INTO ${table} (${named.join(", ")}) VALUES (${cells.join(", ")})`)) continue;
    if (metadata === "side table" && isInteractions && row.metadata !== "NULL")
      database.exec(`INSERT INTO interaction_metadata VALUES (${row.id}, ${row.metadata})`);
  }
  for (const sql of layout.own) tryToRun(database, text(sql));
  database.close();
  if (layout.patterns === null) return;
  const { ids, rows: patterns } = layout.patterns;
  addPatterns(path, patterns, usageOf(patterns), ids);
}

function recordWith16(path: string): void {
  const collector = new MetricsCollector(path);
  for (const level of [1, 5]) collector.recordInteraction("alice", level, true, level);
  collector.recordMetric("bob", false, 0.5, { tool: "search" });
  collector.getGlobalStats();
  collector.close();
}

/** False for ids after which there are few: ids end at 2^53 - 1. */
const isUsable = ({ id }: RandomRow): boolean => BigInt(id) < 2n ** 53n - 1000n;

const isConstraint = (sql: string): boolean => /^(?:CHECK|CONSTRAINT|UNIQUE)/.test(sql);

function tryToRun(database: ReturnType<typeof connect>, sql: string): boolean {
  try {
    database.exec(sql);
    return true;
  } catch (error) {
    if (!String((error as { code?: unknown }).code).startsWith("SQLITE_CONSTRAINT")) throw error;
    return false;
  }
}
