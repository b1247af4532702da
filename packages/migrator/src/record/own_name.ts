import { hasTable } from "@perdura/internals/sqlite/catalog.js";
import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { Stop } from "../core/stop.ts";

/** A table of perdura-migrate: its name, its columns joined by commas, and what it is for, in words. */
export interface OwnTable {
  name: string;
  columns: string;
  purpose: string;
}

/** True when the table is there with the columns that perdura-migrate gives it, and no others. */
export function isOwnTable(
  database: Database,
  { name, columns }: Omit<OwnTable, "purpose">,
  schema: "main" | "backup" = "main",
): boolean {
  return (
    hasTable(database, name, schema) &&
    database
      .prepare(`SELECT group_concat(name) IS ? FROM pragma_table_xinfo(?, ?)`)
      .pluck()
      .get(columns, name, schema) === 1
  );
}

/** @throws Stop when the name belongs to something that perdura-migrate did not make. */
export function assertOwnName(database: Database, own: OwnTable): void {
  const taken = database
    .prepare("SELECT type, name FROM main.sqlite_schema WHERE name = ? COLLATE NOCASE")
    .get(own.name) as { type: string; name: string } | undefined;
  if (taken === undefined || (taken.type === "table" && isOwnTable(database, own))) return;
  throw new Stop(
    "refused",
    `The name ${own.name} is needed for ${own.purpose}, but the ${taken.type} ${taken.name} is not one that perdura-migrate made: it should have the columns ${own.columns.replaceAll(",", ", ")}. Rename it first.`,
  );
}
