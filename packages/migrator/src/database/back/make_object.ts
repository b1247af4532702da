import { type Database, openDatabase } from "@perdura/internals/sqlite/open_database.js";
import type { SchemaEntry } from "../layouts/catalog.ts";
import { Stop } from "../../core/stop.ts";

const STATEMENTS: Record<SchemaEntry["type"], RegExp> = {
  table: /^CREATE\s+TABLE\b/i,
  index: /^CREATE\s+(?:UNIQUE\s+)?INDEX\b/i,
  view: /^CREATE\s+VIEW\b/i,
  trigger: /^CREATE\s+TRIGGER\b/i,
};

/**
 * Makes an object by the text that the schema or a record of it holds. One statement of its kind and no other is run,
 * whatever somebody wrote there.
 *
 * @throws Stop naming an object that cannot be made.
 */
export function makeObject(database: Database, { type, name, sql }: SchemaEntry): void {
  try {
    if (sql === null || !STATEMENTS[type].test(sql)) throw new Error("its text is no statement that makes it");
    database.prepare(sql).run();
  } catch (error) {
    throw new Stop(
      "refused",
      `The ${type} ${name} cannot be made in the old layout (${(error as Error).message}). Change or drop what stands in the way first.`,
      error,
    );
  }
}

/**
 * The columns of a table by its text, generated ones included, which have no values of their own.
 *
 * @param plain What counts where there is no text, or one that this driver does not parse.
 */
export function columnsByText(plain: readonly string[], entry: SchemaEntry | undefined): string[] {
  const twin = openDatabase(":memory:", { access: "create" });
  try {
    if (entry === undefined) return [...plain];
    makeObject(twin, entry);
    return twin.prepare("SELECT name FROM pragma_table_xinfo(?)").pluck().all(entry.name) as string[];
  } catch {
    return [...plain];
  } finally {
    twin.close();
  }
}
