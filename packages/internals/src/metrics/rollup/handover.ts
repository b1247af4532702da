import { hasTable } from "../../sqlite/catalog.ts";
import type { Database } from "../../sqlite/open_database.ts";
import { conditionOf, schemaVersionQuery } from "./condition.ts";
import { ROLLUP_METADATA_TRIGGERS, ROLLUP_OBJECTS } from "./objects.ts";

/**
 * True for a table of the rollup, by its name and SQL text. Such a table contains nothing that cannot be computed from
 * the interactions.
 */
export function isRollupTable(name: string, sql: string | null): boolean {
  return ROLLUP_OBJECTS.get(name) === sql;
}

/** True for a trigger of the rollup on the table of metadata, by its name and SQL text. */
export function isRollupMetadataTrigger({ name, sql }: { name: string; sql: string | null }): boolean {
  return sql !== null && ROLLUP_METADATA_TRIGGERS.get(name) === sql;
}

/** Creates the missing triggers of the table of metadata, if the table exists. The caller holds a write transaction. */
export function createMetadataTriggers(database: Database): void {
  if (!hasTable(database, "interaction_metadata")) return;
  for (const create of ROLLUP_METADATA_TRIGGERS.values())
    database.exec(create.replace("CREATE TRIGGER", "CREATE TRIGGER IF NOT EXISTS"));
}

/** True if the rollup exists and is correct. The caller holds a transaction. */
export function isRollupReady(database: Database): boolean {
  return conditionOf(database, schemaVersionQuery(database).get() as number) === "ready";
}

/**
 * Marks the rollup as correct after a change of the schema. The caller holds the transaction that changed the schema,
 * the rollup was correct before, and no row of the interactions was changed. Otherwise the rollup is built again when
 * it is needed. A table of metadata that was created gets its triggers.
 */
export function declareRollupReady(database: Database): void {
  createMetadataTriggers(database);
  database.prepare("UPDATE perdura_rollup SET schema_version = ?").run(schemaVersionQuery(database).get());
}
