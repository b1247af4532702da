import { openDatabase } from "@perdura/internals/sqlite/open_database.js";
import type { SchemaEntry } from "../recognise/catalog.ts";
import { makeObject } from "./make_object.ts";

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
