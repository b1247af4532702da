import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { sqlName } from "@perdura/internals/text/quoted_sql.js";
import { missingObjects, movedCounters, wrongCounters } from "../../proof/schema_differences.ts";
import { countersIn } from "../../record/snapshot.ts";
import { countsIds, schemaEntries, type SchemaEntry } from "../../sql/catalog.ts";
import { type Counter, rowsOf } from "../counters.ts";
import { handledTables } from "../former_state.ts";
import type { DowngradePlan } from "../plan_downgrade.ts";

/**
 * Proves that the tables and objects of the old layout exist with their former text, and that all objects of the user
 * do.
 */
export function proveSchema(database: Database, plan: DowngradePlan): string[] {
  const { state, objects: changes } = plan;
  const now = schemaEntries(database);
  const handled = handledTables(state);
  const tables = [state.metrics, state.second].flatMap((table) => (table === null ? [] : [table.name]));
  const wanted = [
    ...changes.restore,
    ...state.former.objects.filter(({ type, name }) => type === "table" && state.rebuilds && tables.includes(name)),
  ];
  return [
    ...wanted
      .filter((entry) => !isRestoredObject(now, entry))
      .map(({ type, name }) => `the ${type} ${name} differs from the original`),
    ...missingObjects(
      database,
      ({ type, name }) =>
        (type === "table" && handled.has(name.toLowerCase())) ||
        changes.remove.some((entry) => entry.type === type && entry.name === name),
    ),
    ...wrongCounters(countersOtherThanPlanned(database, plan)),
  ];
}

function isRestoredObject(now: readonly SchemaEntry[], { type, name, sql }: SchemaEntry): boolean {
  const found = now.find((entry) => entry.type === type && entry.name === name);
  // Text with invalid UTF-8 cannot be restored verbatim, but its meaning is.
  return found !== undefined && (found.sql === sql || sql?.includes("\ufffd") === true);
}

/**
 * Proves that no id is given twice: the counters of other tables are unchanged, ours are as planned and not below any
 * id.
 */
function countersOtherThanPlanned(database: Database, { state, counters, written }: DowngradePlan): string[] {
  if (!countsIds(database, "main") || !countsIds(database, "backup")) return [];
  const tables = [state.metrics, state.second].flatMap((table) => (table === null ? [] : [table.name]));
  const ours = ["interactions", ...tables.map((table) => table.toLowerCase()), ...written];
  const now = countersIn(database);
  return [
    ...movedCounters(database).filter((name) => !ours.includes(name.toLowerCase())),
    ...tables.filter((table) => !isRestoredCounter(database, table, rowsOf(now, table), rowsOf(counters, table))),
  ];
}

function isRestoredCounter(
  database: Database,
  table: string,
  now: readonly { seq: string }[],
  counters: readonly Counter[],
): boolean {
  if (now.length !== counters.length) return false;
  return counters.every(({ value, above }, index) => {
    if (above === null) return now[index]?.seq === value;
    const behind = database
      .prepare(
        `SELECT seq < (SELECT max(id) FROM main.${sqlName(table)}) FROM main.sqlite_sequence WHERE name = ? COLLATE NOCASE ORDER BY rowid`,
      )
      .pluck()
      .get(table);
    return behind !== 1;
  });
}
