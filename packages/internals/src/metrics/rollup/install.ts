import type { SchemaObject } from "../../sqlite/catalog.ts";
import type { Database } from "../../sqlite/open_database.ts";
import { conditionOf, schemaVersionQuery } from "./condition.ts";
import { LOWEST_ID } from "../schema.ts";
import { createMetadataTriggers } from "./handover.ts";
import { FORMAT, ROLLUP_METADATA_TRIGGERS, ROLLUP_OBJECTS } from "./objects.ts";

/**
 * Creates the tables and triggers of an empty rollup. The caller holds a write transaction and has checked that none of
 * them exists.
 */
export function installRollup(database: Database): void {
  for (const [name, create] of ROLLUP_OBJECTS) if (!ROLLUP_METADATA_TRIGGERS.has(name)) database.exec(create);
  createMetadataTriggers(database);
  const schemaVersion = schemaVersionQuery(database).get();
  database.prepare(`INSERT INTO perdura_rollup VALUES (${FORMAT}, ?, ${LOWEST_ID}, 0, 0, 0)`).run(schemaVersion);
}

/**
 * Removes all existing objects of the rollup. The caller holds a write transaction and has checked that all of them
 * belong to perdura.
 */
export function removeRollup(database: Database): void {
  for (const [name, create] of [...ROLLUP_OBJECTS].toReversed())
    database.exec(`DROP ${create.startsWith("CREATE TRIGGER") ? "TRIGGER" : "TABLE"} IF EXISTS main.${name}`);
}

/**
 * True if part of the rollup was removed: its remaining triggers would make recording fail. The version of the schema
 * makes no difference to that.
 */
export function isBroken(database: Database, objects?: readonly SchemaObject[]): boolean {
  return conditionOf(database, 0, objects) === "broken";
}
