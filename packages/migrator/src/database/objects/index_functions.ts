import { type Database, openDatabase } from "@perdura/internals/sqlite/open_database.js";
import { Stop } from "../../core/stop.ts";
import type { SchemaEntry } from "../sql/catalog.ts";
import { errorOf } from "../sql/error_of.ts";

/**
 * An index can call a function that only an application defines. Without the function, SQLite can neither change a row
 * of that table nor build the index; only renames work.
 *
 * @param tables Names of tables whose rows move, or that are created again.
 * @throws Stop that names such an index and its function.
 */
export function assertIndexesCreatable(entries: readonly SchemaEntry[], tables: readonly string[]): void {
  const names = new Set(tables.map((name) => name.toLowerCase()));
  for (const table of entries.filter(({ type, name }) => type === "table" && names.has(name.toLowerCase()))) {
    const indexes = entries.filter(
      (entry) => entry.type === "index" && entry.table.toLowerCase() === table.name.toLowerCase(),
    );
    const missing = missingFunction(table, indexes);
    if (missing !== undefined)
      throw new Stop(
        "refused",
        `The index ${missing.index} of the table ${table.name} uses the function ${missing.name}, which an application defines and SQLite does not have here, so the index can be neither updated nor created again. Drop the index first; the application can create it again afterwards.`,
      );
  }
}

/** Builds the table and its indexes in memory from their texts. Other checks report any other failure. */
function missingFunction(
  table: SchemaEntry,
  indexes: readonly SchemaEntry[],
): { index: string; name: string } | undefined {
  if (indexes.every(({ sql }) => sql === null)) return undefined;
  const replica = openDatabase(":memory:", { intent: "record" });
  try {
    if (failureOf(replica, table) !== undefined) return undefined;
    for (const index of indexes) {
      const name = /^(?:no such|unknown) function: ([^()]+)/.exec(failureOf(replica, index) ?? "")?.[1];
      if (name !== undefined) return { index: index.name, name };
    }
    return undefined;
  } finally {
    replica.close();
  }
}

function failureOf(replica: Database, { sql }: SchemaEntry): string | undefined {
  return sql === null ? undefined : errorOf(() => replica.prepare(sql).run())?.message;
}
