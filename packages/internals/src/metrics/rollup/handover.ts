import type { Database } from "../../sqlite/open_database.ts";
import { conditionOf, schemaVersionQuery } from "./condition.ts";
import { ROLLUP_OBJECTS } from "./objects.ts";

/**
 * True for a table of the rollup, by its name and SQL text. Such a table contains nothing that cannot be computed from
 * the interactions.
 */
export function isRollupTable(name: string, sql: string | null): boolean {
  return ROLLUP_OBJECTS.get(name) === sql;
}

/** True if the rollup exists and is correct. The caller holds a transaction. */
export function isRollupReady(database: Database): boolean {
  return conditionOf(database, schemaVersionQuery(database).get() as number) === "ready";
}

/**
 * Marks the rollup as correct after a change of the schema. The caller holds the transaction that changed the schema,
 * the rollup was correct before, and no row of the interactions was changed. Otherwise the rollup is built again when
 * it is needed.
 */
export function declareRollupReady(database: Database): void {
  database.prepare("UPDATE perdura_rollup SET schema_version = ?").run(schemaVersionQuery(database).get());
}
