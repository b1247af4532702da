import { countText } from "@perdura/cli/quantities.js";
import { hasTable } from "@perdura/internals/sqlite/catalog.js";
import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { effectOfType } from "@perdura/internals/validity/column_types.js";
import { NO_DECISION } from "@perdura/internals/validity/decide_patterns.js";
import { printable } from "@perdura/internals/terminal/printable.js";
import { sqlName } from "@perdura/internals/text/quoted_sql.js";
import type { InPieces } from "../../core/progress.ts";
import type { VerificationReport } from "../../core/report.ts";
import { agreeing, rowsText } from "../../core/rows_text.ts";
import { hasKeptLevels, levelsInTable, USABLE_KEPT } from "../levels/level_source.ts";
import { readCatalog, type SchemaEntry } from "../sql/catalog.ts";
import { hasPatterns } from "../layouts/known_layouts.ts";
import { interactionsWithLevels, levelTableNamed, levelTables } from "../layouts/level_tables.ts";
import { isRenamed, lacksLevels, type MetricsTable } from "../layouts/metrics_table.ts";
import { knownTables } from "../layouts/table_layouts.ts";
import { differentPatternTables } from "../layouts/pattern_tables.ts";
import { surveyPatterns } from "../patterns/survey_patterns.ts";
import { nextNumber } from "../record/migration_record.ts";
import { ASSUMED_LEVELS_TABLE, KEPT_LEVELS_TABLE } from "../record/side_tables.ts";
import { countAll, type Source, sourcesOf, type Subject } from "./comparison.ts";
import { proveMetadata, proveMetrics } from "./prove_metrics.ts";
import { proveOtherTables } from "./prove_other_tables.ts";

/** Compares a migrated database with the original's copy. `up` calls it inside its transaction, before the commit. */
export function* proveDatabase(subject: Subject): InPieces<VerificationReport> {
  const sources = sourcesOf(subject);
  const metrics = yield* forEach(sources, (source) => proveMetrics(subject, source));
  const metadata = yield* forEach(sources, (source) => proveMetadata(subject, source));
  const rowsAfter = sum(metrics.map((proof) => proof.rowsAfter));
  const others = yield* proveOtherTables(subject);
  return {
    method: "rows",
    rows_before: sources.length === 0 ? null : sum(metrics.map(({ rowsBefore }) => rowsBefore)),
    rows_after: sources.length === 0 ? null : rowsAfter,
    rows_quarantined: sum(metrics.map(({ rowsQuarantined }) => rowsQuarantined)),
    metadata_rows: sum(metadata.map(({ rows }) => rows)),
    rows_added_since:
      subject.later && sources.length > 0 ? countAll(subject.database, "main", "interactions") - rowsAfter : 0,
    other_tables: others.tables,
    differences: [
      ...metrics.flatMap(({ differences }) => differences),
      ...sources.flatMap(({ table, idOffset }) => proveLevels(subject, table, idOffset)),
      ...metadata.flatMap(({ differences }) => differences),
      ...rowsOfNeitherTable(subject, sources, rowsAfter, sum(metadata.map(({ kept }) => kept))),
      ...others.differences,
      ...(yield* unreadablePatterns(subject.database)),
      ...proveSchema(subject),
    ],
  };
}

/** Reads every pattern as version 16 does. */
export function* unreadablePatterns(database: Database): InPieces<string[]> {
  if (!hasPatterns(readCatalog(database, knownTables()))) return [];
  const { unusual } = yield* surveyPatterns(database, NO_DECISION);
  return [
    ...differentPatternTables(database).flatMap(({ name, missing, otherTypes }) => [
      ...missing.map((column) => `version 16 cannot use the table ${name}: it has no column ${column.name}`),
      ...otherTypes.map((type) => `the table ${name}: ${effectOfType(type, "version 16")}`),
    ]),
    ...unusual.map(
      ({ rows, description, row_ids: ids }) =>
        `version 16 cannot read ${countText(rows, "pattern")}: ${description} (${ids.map(printable).join(", ")}${rows > ids.length ? ", …" : ""})`,
    ),
  ];
}

function* forEach<Item, Result>(items: readonly Item[], work: (item: Item) => InPieces<Result>): InPieces<Result[]> {
  const results: Result[] = [];
  for (const item of items) results.push(yield* work(item));
  return results;
}

/** Each table has its own range of ids; with two tables, no row may be outside of both ranges. */
function rowsOfNeitherTable(
  { database, later }: Subject,
  sources: readonly Source[],
  rows: number,
  metadata: number,
): string[] {
  if (later || sources.length < 2) return [];
  return [
    ...rowsOfNeither(countAll(database, "main", "interactions") - rows, "interactions"),
    ...(hasTable(database, "interaction_metadata")
      ? rowsOfNeither(countAll(database, "main", "interaction_metadata") - metadata, "interaction_metadata")
      : []),
  ];
}

function rowsOfNeither(rows: number, table: string): string[] {
  return rows === 0 ? [] : [`${rowsText(rows)} of ${table} did not exist in either table before`];
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/**
 * Proves that every row of a table without levels has the level that was kept for it, or else the recorded one; and
 * that the column is as in a new database.
 *
 * @param idOffset Offset that was added to the ids of that table.
 */
function proveLevels(subject: Subject, before: MetricsTable, idOffset: number | bigint = 0): string[] {
  if (before.names.level !== null) return [];
  const { rows, wrong, recorded, used } = compareLevels(subject, before, idOffset);
  return [
    ...(wrong > 0
      ? [
          `${rowsText(wrong)} of interactions ${agreeing(wrong, "does", "do")} not have the level that ${ASSUMED_LEVELS_TABLE} records`,
        ]
      : []),
    ...(rows === recorded
      ? []
      : [`${ASSUMED_LEVELS_TABLE} records levels for ${rowsText(recorded)}, but ${rows} got one`]),
    ...(subject.later || keptIn(subject, "main") === keptIn(subject, "backup") - used
      ? []
      : [`unused levels of ${KEPT_LEVELS_TABLE} are missing`]),
    ...wrongColumn(subject),
  ];
}

function compareLevels(
  { database }: Subject,
  before: MetricsTable,
  idOffset: number | bigint,
): { rows: number; wrong: number; recorded: number; used: number } {
  const number = nextNumber(database, "backup");
  const present = database.prepare("SELECT 1 FROM main.sqlite_schema WHERE name = ?").get(ASSUMED_LEVELS_TABLE);
  // If no row got a level, nothing is recorded.
  const records =
    present === undefined ? NO_RECORDS : `SELECT * FROM main.${ASSUMED_LEVELS_TABLE} WHERE number = ${number}`;
  const [recorded, byUser] = database
    .prepare(`SELECT ifnull(sum(rows), 0), count(user_id) FROM (${records})`)
    .raw()
    .get() as [number, number];
  const kept = hasKeptLevels(database, "backup")
    ? `SELECT * FROM backup.${KEPT_LEVELS_TABLE} AS k WHERE ${USABLE_KEPT}`
    : "SELECT 0 AS id, 0 AS level WHERE false";
  const source = database.prepare(`SELECT state_file FROM (${records}) WHERE source = 'table'`).pluck().get() as
    | string
    | undefined;
  const other = source === undefined ? undefined : levelTableNamed(levelTables(database, "backup"), source);
  const listed =
    other === undefined ? levelsOfFile(database, before, records, idOffset) : levelsInTable(other, before, "backup");
  // Not by both at once: an automatic index of SQLite serves one condition.
  const on = byUser > 0 ? `a.user_id = b.${sqlName(before.names.user_id)} COLLATE BINARY AND` : "";
  const [rows, used, wrong] = database
    .prepare(
      `WITH assumed AS MATERIALIZED (SELECT user_id, first_id, last_id, level FROM (${records}) WHERE source NOT IN ('kept', 'table', 'file')),
      listed AS MATERIALIZED (${listed})
      SELECT count(*), count(k.id), count(CASE WHEN typeof(i.level) <> 'integer' OR i.level NOT BETWEEN 1 AND 5 OR i.level IS NOT coalesce(k.level, t.level, a.level) THEN 1 END)
      FROM backup.${sqlName(before.name)} AS b
      JOIN main.interactions AS i ON i.id = b.id + ${idOffset}
      LEFT JOIN (${kept}) AS k ON k.id = b.id
      LEFT JOIN listed AS t ON t.id = b.id
      LEFT JOIN assumed AS a ON k.id IS NULL AND t.id IS NULL AND ${on} i.id BETWEEN a.first_id AND a.last_id`,
    )
    .raw()
    .get() as [number, number, number];
  return { rows, wrong, recorded, used };
}

/**
 * SQL for the levels that a copy of the database has, as long as it is attached. Later, the file may be gone: the record
 * only has the levels of ranges of rows, so a level is accepted if rows of its range got it.
 */
function levelsOfFile(database: Database, before: MetricsTable, records: string, idOffset: number | bigint): string {
  const isAttached = database.prepare("SELECT 1 FROM pragma_database_list WHERE name = 'levels'").get() !== undefined;
  const table = isAttached ? interactionsWithLevels(database, "levels") : undefined;
  if (table !== undefined) return levelsInTable(table, before, "backup", "levels");
  return `SELECT i.id - ${idOffset} AS id, i.level FROM (${records}) AS r JOIN main.interactions AS i
    ON r.source = 'file' AND i.level = r.level AND i.id BETWEEN r.first_id AND r.last_id`;
}

const NO_RECORDS =
  "SELECT NULL AS user_id, 0 AS first_id, 0 AS last_id, 0 AS rows, 0 AS level, '' AS source, NULL AS state_file WHERE false";

function keptIn({ database }: Subject, schema: "main" | "backup"): number {
  return hasKeptLevels(database, schema) ? countAll(database, schema, KEPT_LEVELS_TABLE) : 0;
}

/** Without a default, a row that does not store its level reads as NULL, so that the comparison above is meaningful. */
function wrongColumn({ database }: Subject): string[] {
  const column = database
    .prepare(
      `SELECT type || iif("notnull", ' NOT NULL', '') || ifnull(' DEFAULT ' || dflt_value, '') FROM pragma_table_xinfo('interactions', 'main') WHERE name = 'level'`,
    )
    .pluck()
    .get();
  return column === "INTEGER NOT NULL" ? [] : [`the column level is ${String(column)}, expected INTEGER NOT NULL`];
}

/**
 * Proves that all indexes, views, triggers and tables of the user exist, and that the counters of row ids are
 * unchanged.
 */
export function proveSchema(subject: Subject): string[] {
  return [...missingEntries(subject), ...(subject.later ? [] : wrongCounters(subject))];
}

function missingEntries({ database, before, second, dropped, later }: Subject): string[] {
  if (later) return [];
  const names = (schema: "main" | "backup"): SchemaEntry[] =>
    database
      .prepare(
        `SELECT type, name, tbl_name AS "table" FROM ${schema}.sqlite_schema WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\'`,
      )
      .all() as SchemaEntry[];
  const present = new Set(names("main").map(({ type, name }) => `${type} ${name}`));
  return names("backup")
    .filter(
      ({ type, name, table }) =>
        // Objects of a table are dropped with it.
        !(second !== null && type !== "view" && table.toLowerCase() === second.name.toLowerCase()) &&
        !(type === "table" && name === before?.name && isRenamed(before)) &&
        // Dropped once its levels are in the rows, which is proved with them.
        !(type === "table" && name === KEPT_LEVELS_TABLE && lacksLevels(before, second)) &&
        !(type === "index" && dropped.includes(name)),
    )
    .filter(({ type, name }) => !present.has(`${type} ${name}`))
    .map(({ type, name }) => `the ${type} ${name} is missing`);
}

function wrongCounters(subject: Subject): string[] {
  const { database, before, second } = subject;
  if (!countsIds(database, "backup")) return [];
  const renamed = before !== null && isRenamed(before) ? before.name.toLowerCase() : undefined;
  const after = counters(database, "main");
  const merged = second === null ? [] : [second.name.toLowerCase(), "interactions"];
  const moved = counters(database, "backup")
    .filter(({ table }) => !merged.includes(table.toLowerCase()) && !subject.written.has(table.toLowerCase()))
    .map(({ table, value }) => ({ table: table.toLowerCase() === renamed ? "interactions" : table, value }))
    .filter((was) => !after.some((is) => is.table === was.table && is.value === was.value));
  return [
    ...moved.map(({ table }) => table),
    ...(second !== null && isCounterTooLow(database) ? ["interactions"] : []),
  ].map((table) => `the row id counter of ${table} is wrong`);
}

/** True if the counter is too low: it must increase with the merged rows, and never decrease. */
function isCounterTooLow(database: Subject["database"]): boolean {
  const counter = (schema: string): string =>
    `(SELECT seq FROM ${schema}.sqlite_sequence WHERE name = 'interactions' COLLATE NOCASE)`;
  const lowest = `max(ifnull(${counter("backup")}, 0), (SELECT ifnull(max(id), 0) FROM main.interactions))`;
  return (
    database
      .prepare(`SELECT ${counter("main")} < ${lowest}`)
      .pluck()
      .get() === 1
  );
}

function countsIds(database: Subject["database"], schema: string): boolean {
  return database.prepare(`SELECT 1 FROM ${schema}.sqlite_schema WHERE name = 'sqlite_sequence'`).get() !== undefined;
}

function counters(database: Subject["database"], schema: string): { table: string; value: string }[] {
  return database.prepare(`SELECT name AS "table", quote(seq) AS value FROM ${schema}.sqlite_sequence`).all() as {
    table: string;
    value: string;
  }[];
}
