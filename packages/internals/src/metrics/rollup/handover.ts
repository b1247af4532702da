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
 * Says that the rollup is right in spite of a change of the schema: the caller holds the transaction that changed it, the
 * rollup was right before, and all rows of the interactions are what they were. Without this, it is made anew when it is
 * needed next.
 */
export function keepRollup(database: Database): void {
  database.prepare("UPDATE perdura_rollup SET schema_version = ?").run(schemaVersionQuery(database).get());
}
