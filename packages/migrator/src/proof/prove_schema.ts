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
      ({ type, name }) => !(type === "table" && name === before?.name) && !(type === "index" && dropped.includes(name)),
    )
    .filter(({ type, name }) => !present.has(`${type} ${name}`))
    .map(({ type, name }) => `the ${type} ${name} is gone`);
}

function movedCounters({ database, before }: Subject): string[] {
  if (!countsIds(database, "backup")) return [];
  const after = new Map(counters(database, "main"));
  return counters(database, "backup")
    .map(([table, value]) => [table === before?.name ? "interactions" : table, value] as const)
    .filter(([table, value]) => after.get(table) !== value)
    .map(([table]) => `the counter of the row ids of ${table} moved`);
}

function countsIds(database: Subject["database"], schema: string): boolean {
  return database.prepare(`SELECT 1 FROM ${schema}.sqlite_schema WHERE name = 'sqlite_sequence'`).get() !== undefined;
}

function counters(database: Subject["database"], schema: string): [string, string][] {
  return database.prepare(`SELECT name, quote(seq) FROM ${schema}.sqlite_sequence`).raw().all() as [string, string][];
}
