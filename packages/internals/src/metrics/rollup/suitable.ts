import { columnsOf, hasTable, isOrdinaryTable, schemaObjects } from "../../sqlite/catalog.ts";
import type { Database } from "../../sqlite/open_database.ts";
import { LOWEST_ID } from "../schema.ts";

/** True if there are enough rows for a rollup. */
export function isLongLog(database: Database, threshold: number): boolean {
  const rows = database.prepare("SELECT count(*) FROM (SELECT 1 FROM interactions LIMIT ?)").pluck();
  return rows.get(threshold + 1) === threshold + 1;
}

/**
 * True if the triggers of the rollup can see every change of a row of `interactions`, and the rollup distinguishes the
 * same users as the table. If the table was created differently, statistics always come from all rows.
 */
export function supportsRollup(database: Database): boolean {
  const ask = (sql: string): unknown => database.prepare(sql).pluck().get();
  const sql = ask("SELECT sql FROM main.sqlite_schema WHERE type = 'table' AND name = 'interactions'");
  // Another collation may treat ids as equal that are different here.
  if (typeof sql !== "string" || /collate/i.test(sql)) return false;
  // The rollup has triggers for the metadata as well.
  const metadata = schemaObjects(database, ["interaction_metadata"]);
  if (!metadata.every(isOrdinaryTable)) return false;
  const key = columnsOf(database, "interaction_metadata").find(({ name }) => name === "interaction_id");
  if (metadata.length > 0 && key?.pk !== 1) return false;
  // INTEGER PRIMARY KEY has no index. With any other unique index, REPLACE would remove rows that no trigger sees.
  if (ask(`SELECT count(*) FROM pragma_index_list('interactions', 'main') WHERE "unique"`) !== 0) return false;
  // SQLite adds a row there for tables with AUTOINCREMENT only. Other tables may reuse ids below the highest one.
  if (!hasTable(database, "sqlite_sequence")) return false;
  if (ask("SELECT count(*) FROM main.sqlite_sequence WHERE name = 'interactions'") !== 1) return false;
  // Folding begins above this id.
  if (ask(`SELECT count(*) FROM interactions WHERE id = ${LOWEST_ID}`) !== 0) return false;
  const columns = columnsOf(database, "interactions");
  return (
    columns.some(({ name, pk }) => name === "id" && pk === 1) &&
    columns.some(({ name, type, notnull }) => name === "user_id" && type.toUpperCase() === "TEXT" && notnull === 1)
  );
}
