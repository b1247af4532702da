import { type Database, openDatabase } from "@perdura/internals/sqlite/open_database.js";
import type { SchemaEntry } from "../recognise/catalog.ts";
import { Stop } from "../core/stop.ts";
import type { Found } from "./found.ts";

/**
 * An index can call a function that only the application has which made it. Without the function SQLite can neither move
 * a row of that table nor make the index again; only names can change.
 *
 * @param tables Names of tables whose rows move, or that are made again.
 * @throws Stop naming such an index and its function.
 */
export function assertIndexesCanBeMade(entries: readonly SchemaEntry[], tables: readonly string[]): void {
  const names = new Set(tables.map((name) => name.toLowerCase()));
  for (const table of entries.filter(({ type, name }) => type === "table" && names.has(name.toLowerCase()))) {
    const indexes = entries.filter(
      (entry) => entry.type === "index" && entry.table.toLowerCase() === table.name.toLowerCase(),
    );
    const missing = missingFunction(table, indexes);
    if (missing !== undefined)
      throw new Stop(
        "refused",
        `The index ${missing.index} of the table ${table.name} uses the function ${missing.name}, which an application defines and SQLite does not have here, so that the index could neither follow rows that move nor be made again. Drop that index first; the application can make it again afterwards.`,
      );
  }
}

/** Tables whose rows move, now or on the way back. Where only names change, nothing is done to an index. */
export function tablesThatMove({ first, second, layout }: Found): string[] {
  const tables = [first, second].filter((found) => found !== null);
  const moves = layout.treatment !== "rename" || tables.some(({ blocked }) => blocked > 0);
  return moves ? [...tables.map(({ table }) => table.name), "interaction_metadata"] : [];
}

/** Builds the table and its indexes in memory, as their texts say. Any other failure is for others to name. */
function missingFunction(
  table: SchemaEntry,
  indexes: readonly SchemaEntry[],
): { index: string; name: string } | undefined {
  if (indexes.every(({ sql }) => sql === null)) return undefined;
  const twin = openDatabase(":memory:", { access: "create" });
  try {
    if (failureOf(twin, table) !== undefined) return undefined;
    for (const index of indexes) {
      const name = /^(?:no such|unknown) function: ([^()]+)/.exec(failureOf(twin, index) ?? "")?.[1];
      if (name !== undefined) return { index: index.name, name };
    }
    return undefined;
  } finally {
    twin.close();
  }
}

function failureOf(twin: Database, { sql }: SchemaEntry): string | undefined {
  try {
    if (sql !== null) twin.prepare(sql).run();
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}
