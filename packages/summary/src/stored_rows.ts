import { storageErrorOf } from "@perdura/internals/files/storage_errors.js";
import { columnNames } from "@perdura/internals/sqlite/catalog.js";
import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { sqlName } from "@perdura/internals/text/quoted_sql.js";
import type { SourceTable, StoredRow, StoredRows, StoredValue } from "./source.ts";

/** Names of the values of an interaction, and of a use of a pattern. */
export const INTERACTION_COLUMNS: readonly string[] = [
  "user",
  "level",
  "success",
  "response time",
  "timestamp",
  "metadata",
];
export const USAGE_COLUMNS: readonly string[] = ["pattern", "agent", "success", "time"];

/** Interactions with the ids that a migration keeps or gives. */
export function interactionRows(database: Database, path: string, tables: readonly SourceTable[]): StoredRows {
  const selects = tables.map(({ name, names, sideTable, idOffset }, index) => {
    const { level, metadata } = names;
    const [user, success, time, timestamp] = [
      names.user_id,
      names.success,
      names.response_time_ms,
      names.timestamp,
    ].map((column) => `i.${sqlName(column)}`);
    // An id without an offset stays a column, so that the rows are read in its order without sorting.
    const id = idOffset === 0 ? "i.id" : `i.id + (${idOffset})`;
    const texts = [...(sideTable ? ["m.metadata"] : []), ...(metadata === null ? [] : [`i.${sqlName(metadata)}`])];
    const text = texts.length > 1 ? `ifnull(${texts.join(", ")})` : (texts[0] ?? "NULL");
    const side = sideTable ? "LEFT JOIN main.interaction_metadata AS m ON m.interaction_id = i.id" : "";
    return `SELECT ${id} AS id, ${index}, i.id, ${user}, ${level === null ? "NULL" : `i.${sqlName(level)}`},
      CASE WHEN ${success} THEN 1 ELSE 0 END, ${time}, ${timestamp}, ${text} FROM main.${sqlName(name)} AS i ${side}`;
  });
  return {
    columns: INTERACTION_COLUMNS,
    read: () =>
      rowsOf(database, path, `${selects.join(" UNION ALL ")} ORDER BY 1`, (source, values) => {
        const { name, names } = tables[source] as SourceTable;
        if (names.level === null) values[1] = undefined;
        return name;
      }),
  };
}

const USAGE = ["pattern_id", "agent_id", "success", "used_at"] as const;

/** Uses of patterns; none if the table does not exist. */
export function usageRows(database: Database, path: string): StoredRows {
  return {
    columns: USAGE_COLUMNS,
    read: () => {
      const present = columnNames(database, "pattern_usage");
      if (!present.includes("id")) return [];
      const values = USAGE.map((name) => (present.includes(name) ? name : "NULL"));
      return rowsOf(
        database,
        path,
        `SELECT id, 0, id, ${values.join(", ")} FROM main.pattern_usage ORDER BY id`,
        () => "pattern_usage",
      );
    },
  };
}

/**
 * Rows of a query, one at a time, in the order of their ids.
 *
 * @param tableOf Returns the name of the source with this number, and marks values that it has lost.
 */
function* rowsOf(
  database: Database,
  path: string,
  sql: string,
  tableOf: (source: number, values: StoredValue[]) => string,
): Generator<StoredRow, void, undefined> {
  try {
    const rows = database.prepare(sql).raw().safeIntegers().iterate() as Iterable<StoredValue[]>;
    for (const [id, source, ownId, ...values] of rows)
      yield { id, table: tableOf(Number(source), values), ownId, values };
  } catch (error) {
    throw storageErrorOf(error, path, "reading");
  }
}
