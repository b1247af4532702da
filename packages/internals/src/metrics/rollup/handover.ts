import type { Database } from "../../sqlite/open_database.ts";
import { conditionOf, schemaVersionQuery } from "./condition.ts";
import { ROLLUP_OBJECTS } from "./objects.ts";

/** True for the name and the text of a table of the rollup: it holds nothing that the interactions do not tell. */
export function isRollupTable(name: string, sql: string | null): boolean {
  return ROLLUP_OBJECTS.get(name) === sql;
}

/** True when the rollup is there and right. The caller holds a transaction. */
export function rollupHolds(database: Database): boolean {
  return conditionOf(database, schemaVersionQuery(database).get() as number) === "ready";
}

/**
 * Declares the rollup correct after a change of the schema: the caller holds the transaction that changed it, the rollup was
 * correct before, and all rows of the interactions are unchanged. Without this, the rollup is built again when it is needed.
 */
export function keepRollup(database: Database): void {
  database.prepare("UPDATE perdura_rollup SET schema_version = ?").run(schemaVersionQuery(database).get());
}
