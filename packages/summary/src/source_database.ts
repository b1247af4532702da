import { type FoundKeys, LOOKED_AT, suitedKeys } from "@perdura/internals/metrics/breakdown/found_keys.js";
import { declaredKeys } from "@perdura/internals/metrics/keys/declared_keys.js";
import { reporterOf } from "@perdura/internals/metrics/export_progress.js";
import { exportInteractions } from "@perdura/internals/metrics/export.js";
import { type ListQueries, listQueries } from "@perdura/internals/metrics/listing/list_queries.js";
import { askedList } from "@perdura/internals/metrics/listing/listing_arguments.js";
import type { ListedInteraction } from "@perdura/internals/metrics/listing/listing.js";
import { metadataText } from "@perdura/internals/metrics/metadata_sql.js";
import { overviewQueries } from "@perdura/internals/metrics/overview.js";
import { rollupStatistics } from "@perdura/internals/metrics/rollup/rollup_statistics.js";
import type { LevelColumn } from "@perdura/internals/metrics/schema.js";
import type { Range } from "@perdura/internals/metrics/time_range.js";
import { statisticsQueries } from "@perdura/internals/metrics/statistics.js";
import type { InvalidPattern } from "@perdura/internals/patterns/invalid_patterns.js";
import { loadLibrary } from "@perdura/internals/patterns/sqlite_load.js";
import { columnsOf } from "@perdura/internals/sqlite/catalog.js";
import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { sqlName } from "@perdura/internals/text/quoted_sql.js";
import type { ScanProgress } from "@perdura/internals/metrics/scan/scan_rows.js";
import { systemClock } from "@perdura/internals/text/timestamps.js";
import { countOrphanedMetadata } from "@perdura/internals/metrics/deletion/orphaned_metadata.js";
import type { InteractionColumns } from "@perdura/internals/validity/interaction_problems.js";
import { scanningStatistics } from "./scanning_statistics.ts";
import { interactionRows, usageRows } from "./stored_rows.ts";
import type { MetricsSource, QuarantinedRow, SourceDatabase, SourceLayout, SourceTable } from "./source.ts";

/**
 * @param database A connection that cannot write to the file, within a read transaction.
 * @param report Receives the progress while the rows of a large database without sums are read.
 */
export function sourceDatabase(
  database: Database,
  found: SourceLayout,
  report: (progress: ScanProgress) => void,
): SourceDatabase {
  const { path, line, layout, refusal, tables, hasPatterns } = found;
  return {
    path,
    line,
    layout,
    refusal,
    metrics: tables.length === 0 ? null : metricsSource(database, path, tables, report),
    patterns: hasPatterns
      ? (nonFinite) => {
          const invalid: InvalidPattern[] = [];
          const library = loadLibrary(database, path, { nonFinite, onInvalid: () => undefined }, invalid);
          return { library, invalid };
        }
      : null,
    usage: usageRows(database, path),
    orphanedMetadata: () => countOrphanedMetadata(database),
    quarantine: () => quarantinedRows(database),
  };
}

/** The columns with the source and the reason have a number in their names if the table had these names itself. */
function quarantinedRows(database: Database): QuarantinedRow[] {
  const columns = columnsOf(database, "perdura_quarantine").map(({ name }) => name);
  const find = (beginning: string): string | undefined => columns.find((name) => name.startsWith(beginning));
  const [table, reason] = [find("perdura_source"), find("perdura_reason")];
  if (table === undefined || reason === undefined) return [];
  const text = (name: string): string => (columns.includes(name) ? `CAST(${name} AS TEXT)` : "NULL");
  return database
    .prepare(
      `SELECT CAST(${sqlName(table)} AS TEXT) AS "table", CAST(${sqlName(reason)} AS TEXT) AS reason,
         ${text("id")} AS id, ${text("user_id")} AS user_id FROM main.perdura_quarantine`,
    )
    .all() as QuarantinedRow[];
}

function metricsSource(
  database: Database,
  path: string,
  tables: readonly SourceTable[],
  report: (progress: ScanProgress) => void,
): MetricsSource {
  const levelColumn = documentedColumn(tables);
  if (levelColumn === undefined) createViews(database, tables);
  const column = levelColumn ?? "level";
  const statistics = {
    ...(levelColumn === undefined
      ? { ...statisticsQueries(database, column), ...overviewQueries(database, column) }
      : rollupStatistics(database, column)),
    breakdownKeys: () => breakdownKeys(database),
    newestOf: (userId: string, limit: number, range?: Range) =>
      newestOf(listQueries(database, column), column, userId, limit, range),
  };
  return {
    hasLevels: tables.some(({ names }) => names.level !== null),
    hasLostLevels: tables.some(({ names }) => names.level === null),
    statistics: isScannable(database, tables)
      ? scanningStatistics(database, column, statistics, { mayHaveSums: levelColumn !== undefined, report })
      : statistics,
    rows: interactionRows(database, path, tables),
    exportTo: (filepath, options = {}) =>
      exportInteractions(
        { database, path, levelColumn: column, statistics, clock: systemClock, report: reporterOf(options) },
        filepath,
      ),
  };
}

function newestOf(
  { listPage }: ListQueries,
  column: LevelColumn,
  userId: string,
  limit: number,
  range: Range | undefined,
): ListedInteraction<"level">[] {
  const asked = askedList({ user_id: userId, ...range });
  const rows: ListedInteraction<"level">[] = [];
  for (let page = listPage(asked, undefined); page.rows.length > 0 && rows.length < limit; page = listPage(asked, page))
    for (const row of page.rows as unknown as ListedInteraction<LevelColumn>[]) {
      const { id, user_id, success, response_time_ms, timestamp, metadata } = row;
      rows.push({ id, user_id, level: row[column], success, response_time_ms, timestamp, metadata });
    }
  return rows.slice(0, limit);
}

function breakdownKeys(database: Database): FoundKeys {
  const { keys, numbers } = declaredKeys(database);
  if (keys.length > 0) return { keys: keys.map((key) => ({ key, isDeclared: true })), numbers };
  const newest = database
    .prepare(`SELECT ${metadataText("metadata")} FROM interaction_metadata ORDER BY interaction_id DESC LIMIT ?`)
    .pluck();
  return { keys: suitedKeys(newest.iterate(LOOKED_AT) as Iterable<string>), numbers };
}

/** True for one table whose rows are found by their ids. */
function isScannable(database: Database, [table, second]: readonly SourceTable[]): boolean {
  if (table === undefined || second !== undefined) return false;
  return columnsOf(database, table.name).some(
    ({ name, type, pk }) => name.toLowerCase() === "id" && type.toUpperCase() === "INTEGER" && pk === 1,
  );
}

/** The level column of a database that a line reads as it is, with the table of metadata. */
function documentedColumn(tables: readonly SourceTable[]): LevelColumn | undefined {
  const [table, second] = tables;
  if (second !== undefined || table?.name !== "interactions" || !table.sideTable) return undefined;
  const { level } = table.names;
  return level === "level" || level === "empathy_level" ? level : undefined;
}

/** SQL for the values of a row, under the names of the 16+ line. */
function valuesOf(names: InteractionColumns): string {
  return (["user_id", "level", "success", "response_time_ms", "timestamp"] as const)
    .map((name) => `${names[name] === null ? "NULL" : sqlName(names[name])} AS ${name}`)
    .join(", ");
}

/** Creates temporary views with the names and columns of the 16+ line, which belong to this connection only. */
function createViews(database: Database, tables: readonly SourceTable[]): void {
  // An id without an addition is found by its index.
  const id = (offset: number): string => (offset === 0 ? "id" : `id + (${offset})`);
  const rows = tables.map(
    ({ name, names, idOffset }) => `SELECT ${id(idOffset)} AS id, ${valuesOf(names)} FROM main.${sqlName(name)}`,
  );
  const metadata = tables.flatMap(({ name, names: { metadata: column }, sideTable, idOffset }) => [
    ...(column === null
      ? []
      : [
          `SELECT ${id(idOffset)} AS interaction_id, ${sqlName(column)} AS metadata FROM main.${sqlName(name)} WHERE ${sqlName(column)} IS NOT NULL`,
        ]),
    ...(sideTable ? ["SELECT interaction_id, metadata FROM main.interaction_metadata"] : []),
  ]);
  const none = "SELECT NULL AS interaction_id, NULL AS metadata WHERE false";
  // A temporary view is not written to the file, but the setting refuses it as well.
  database.pragma("query_only = OFF");
  try {
    database.exec(`CREATE TEMP VIEW interactions AS ${rows.join(" UNION ALL ")}`);
    database.exec(
      `CREATE TEMP VIEW interaction_metadata AS ${metadata.length === 0 ? none : metadata.join(" UNION ALL ")}`,
    );
  } finally {
    database.pragma("query_only = ON");
  }
}
