import type { SchemaEntry } from "../recognise/catalog.ts";
import type { Subject } from "./subject.ts";

/** Every index, view, trigger and table of the user is still there, and the counters of row ids stand where they stood. */
export function proveSchema(subject: Subject): string[] {
  return [...missingEntries(subject), ...(subject.later ? [] : movedCounters(subject))];
}

function missingEntries({ database, before, dropped, later }: Subject): string[] {
  if (later) return [];
  const names = (schema: "main" | "backup"): SchemaEntry[] =>
    database
      .prepare(`SELECT type, name FROM ${schema}.sqlite_schema WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\'`)
      .all() as SchemaEntry[];
  const present = new Set(names("main").map(({ type, name }) => `${type} ${name}`));
  return names("backup")
    .filter(
      ({ type, name }) =>
        !(type === "table" && name === before?.name && before.metadata !== null) &&
        !(type === "index" && dropped.includes(name)),
    )
    .filter(({ type, name }) => !present.has(`${type} ${name}`))
    .map(({ type, name }) => `the ${type} ${name} is gone`);
}

function movedCounters({ database, before }: Subject): string[] {
  if (!countsIds(database, "backup")) return [];
  const renamed = before !== null && before.metadata !== null ? before.name.toLowerCase() : undefined;
  const after = counters(database, "main");
  return counters(database, "backup")
    .map(({ table, value }) => ({ table: table.toLowerCase() === renamed ? "interactions" : table, value }))
    .filter((was) => !after.some((is) => is.table === was.table && is.value === was.value))
    .map(({ table }) => `the counter of the row ids of ${table} moved`);
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
