import type { SchemaEntry } from "../layouts/catalog.ts";
import { KEPT_LEVELS_TABLE } from "../record/side_tables.ts";
import { sqlText } from "../sql/sql_text.ts";
import type { Subject } from "./subject.ts";

/** Every index, view, trigger and table of the user is still there, and the counters of row ids stand where they stood. */
export function proveSchema(subject: Subject): string[] {
  return [...missingEntries(subject), ...(subject.later ? [] : movedCounters(subject))];
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
        // What belongs to a table goes with it.
        !(second !== null && type !== "view" && table.toLowerCase() === second.name.toLowerCase()) &&
        !(type === "table" && name === before?.name && before.metadata !== null) &&
        // Gone once its levels are in the rows, which is proved with them.
        !(type === "table" && name === KEPT_LEVELS_TABLE && (before?.level === null || second?.level === null)) &&
        !(type === "index" && dropped.includes(name)),
    )
    .filter(({ type, name }) => !present.has(`${type} ${name}`))
    .map(({ type, name }) => `the ${type} ${name} is gone`);
}

function movedCounters(subject: Subject): string[] {
  const { database, before, second, added } = subject;
  if (!countsIds(database, "backup")) return [];
  const renamed = before !== null && before.metadata !== null ? before.name.toLowerCase() : undefined;
  const after = counters(database, "main");
  const grows = second !== null ? "interactions" : added !== null ? before?.name : undefined;
  const united = [second?.name.toLowerCase(), grows?.toLowerCase()];
  const moved = counters(database, "backup")
    .filter(({ table }) => !united.includes(table.toLowerCase()))
    .map(({ table, value }) => ({ table: table.toLowerCase() === renamed ? "interactions" : table, value }))
    .filter((was) => !after.some((is) => is.table === was.table && is.value === was.value));
  return [
    ...moved.map(({ table }) => table),
    ...(grows !== undefined && fellBack(database, grows) ? ["interactions"] : []),
  ].map((table) => `the counter of the row ids of ${table} moved`);
}

/**
 * The counter goes on with the rows that joined, and never back.
 *
 * @param table What the table was called in the backup.
 */
function fellBack(database: Subject["database"], table: string): boolean {
  const counter = (schema: string, name: string): string =>
    `(SELECT seq FROM ${schema}.sqlite_sequence WHERE name = ${sqlText(name)} COLLATE NOCASE)`;
  const lowest = `max(ifnull(${counter("backup", table)}, 0), (SELECT ifnull(max(id), 0) FROM main.interactions))`;
  return (
    database
      .prepare(`SELECT ${counter("main", "interactions")} < ${lowest}`)
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
