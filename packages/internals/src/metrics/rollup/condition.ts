import { type SchemaObject, schemaObjects } from "../../sqlite/catalog.ts";
import type { Database, Statement } from "../../sqlite/open_database.ts";
import { FORMAT, ROLLUP_METADATA_TRIGGERS, ROLLUP_OBJECTS } from "./objects.ts";

/**
 * State of the rollup in a database. `broken`: some objects are missing, so that recording may fail; `outdated`: the
 * schema changed after the triggers were created; `taken`: an object with one of the names does not belong to perdura, or
 * another version of perdura created it.
 */
export type Condition = "absent" | "broken" | "outdated" | "ready" | "taken";

/** Names of the objects by which the condition is determined, in lower case. */
export const CONDITION_NAMES: readonly string[] = [...ROLLUP_OBJECTS.keys(), "interaction_metadata"];

/**
 * Determines the state of the rollup. The caller holds a transaction, so that all objects are seen at one moment.
 *
 * @param objects Those with {@link CONDITION_NAMES}, and perhaps others.
 */
export function conditionOf(
  database: Database,
  schemaVersion: number,
  objects: readonly Pick<SchemaObject, "name" | "sql">[] = schemaObjects(database, CONDITION_NAMES),
): Condition {
  const found = objects.filter(({ name }) => ROLLUP_OBJECTS.has(name.toLowerCase()));
  const hasMetadata = objects.some(({ name }) => name.toLowerCase() === "interaction_metadata");
  const needed = ROLLUP_OBJECTS.size - (hasMetadata ? 0 : ROLLUP_METADATA_TRIGGERS.size);
  if (found.length === 0) return "absent";
  if (!found.every(({ name, sql }) => ROLLUP_OBJECTS.get(name) === sql)) return "taken";
  const states = found.some(({ name }) => name === "perdura_rollup")
    ? (database.prepare("SELECT format, schema_version FROM perdura_rollup").raw().all() as [number, number][])
    : [];
  if (states.some(([format]) => format !== FORMAT)) return "taken";
  if (found.length < needed) return "broken";
  return states[0]?.[1] === schemaVersion ? "ready" : "outdated";
}

/** Query for the schema version, which every change of the schema increases, by any connection. */
export function schemaVersionQuery(database: Database): Statement<[], number> {
  return database.prepare("PRAGMA main.schema_version").pluck() as Statement<[], number>;
}
