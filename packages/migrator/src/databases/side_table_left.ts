import type { Database } from "@perdura/internals/sqlite/open_database.js";
import type { Catalog } from "../recognise/catalog.ts";
import { Stop } from "../core/stop.ts";
import type { MetricsTable } from "./metrics_table.ts";
import { sqlName } from "./sql_text.ts";

const NAME = "interaction_metadata";

/**
 * The way back leaves the side table where metadata in it has no row to go back to; the next migration takes it over.
 *
 * @throws Stop when it is another one, or when its rows would come to belong to rows that they do not belong to.
 */
export function assertCanTakeOver(database: Database, catalog: Catalog, table: MetricsTable): void {
  if (!isText(database) || !refersTo(database, ["interactions", table.name.toLowerCase()]))
    throw new Stop(
      "refused",
      `The name ${NAME} is needed for a table of version 16 whose metadata is TEXT and whose interaction_id refers to the interactions, but there is another table of that name. Rename it first.`,
    );
  const trigger = catalog.entries.find((entry) => entry.type === "trigger" && entry.table.toLowerCase() === NAME);
  if (trigger !== undefined)
    throw new Stop(
      "refused",
      `The trigger ${trigger.name} is on ${NAME}, and would fire for the metadata that is moved there. Drop it first.`,
    );
  const both = database
    .prepare(
      `SELECT CAST(min(interaction_id) AS TEXT) FROM main.${NAME} WHERE interaction_id IN (SELECT id FROM main.${sqlName(table.name)})`,
    )
    .pluck()
    .get() as string | null;
  if (both !== null)
    throw new Stop(
      "refused",
      `The table ${NAME}, left by an earlier migration, has metadata for the id ${both}, and so has ${table.name} a row of that id that does not own it. Delete or move that row of ${NAME} first.`,
    );
}

/** What an operator should know of it. */
export function notesOnTakenOver(database: Database, { metadata, sideTable }: MetricsTable): string[] {
  if (metadata === null || !sideTable) return [];
  const rows = database.prepare(`SELECT count(*) FROM main.${NAME}`).pluck().get() as number;
  return [
    `the table ${NAME} is there already, with ${rows} ${rows === 1 ? "row" : "rows"} of interactions that are gone: it is taken over, and what it holds stays in it`,
  ];
}

function isText(database: Database): boolean {
  return (
    database
      .prepare("SELECT upper(type) FROM pragma_table_xinfo(?, 'main') WHERE name = 'metadata' COLLATE NOCASE")
      .pluck()
      .get(NAME) === "TEXT"
  );
}

function refersTo(database: Database, tables: readonly string[]): boolean {
  const found = database
    .prepare(`SELECT lower("table") FROM pragma_foreign_key_list(?, 'main')`)
    .pluck()
    .all(NAME) as string[];
  return found.length === 1 && tables.includes(found[0] as string);
}
