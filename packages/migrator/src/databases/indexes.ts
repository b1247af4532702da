import { PATTERN_INDEXES } from "@perdura/internals/patterns/sqlite_schema.js";
import { INTERACTION_INDEXES } from "@perdura/internals/metrics/schema.js";
import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { type Catalog, entryNamed } from "../recognise/catalog.ts";
import { Stop } from "../stop.ts";
import { sqlName } from "./sql_text.ts";
import type { Step } from "./step.ts";

/** The indexes that programs of the field made on `metrics`, and what each holds. */
const FIELD_INDEXES: Record<string, string> = {
  idx_user_level: "user_id,empathy_level",
  idx_user: "user_id",
  idx_timestamp: "timestamp",
};

/** Steps that build what is missing of section 2.3 for the tables that the database will have. */
export function buildIndexes(catalog: Catalog, tables: { interactions: boolean; patterns: boolean }): Step[] {
  return [
    ...(tables.interactions ? missing(catalog, INTERACTION_INDEXES, ["interactions", "metrics"]) : []),
    ...(tables.patterns ? missing(catalog, PATTERN_INDEXES, ["patterns"]) : []),
  ];
}

function missing(catalog: Catalog, indexes: Record<string, string>, tables: readonly string[]): Step[] {
  return Object.entries(indexes).flatMap(([name, statement]) => {
    const taken = entryNamed(catalog, name);
    if (taken === undefined)
      return [{ title: `build the index ${name}`, run: (database: Database) => void database.exec(statement) }];
    if (taken.type === "index" && tables.includes(taken.table.toLowerCase())) return [];
    throw new Stop(
      "refused",
      `The name ${name} is needed for an index of version 16, but the ${taken.type} of that name belongs to ${taken.table}. Rename it first.`,
    );
  });
}

/** Steps that drop the indexes of the field's programs; an index of such a name with other columns is the user's and stays. */
export function dropFieldIndexes(database: Database, catalog: Catalog): { steps: Step[]; names: string[] } {
  const names = Object.entries(FIELD_INDEXES)
    .filter(
      ([name, columns]) =>
        entryNamed(catalog, name, "index")?.table.toLowerCase() === "metrics" &&
        columnsOfIndex(database, name) === columns,
    )
    .map(([name]) => name);
  const steps = names.map((name) => ({
    title: `drop the index ${name} of the old layout`,
    run: (connection: Database) => void connection.exec(`DROP INDEX main.${sqlName(name)}`),
  }));
  return { steps, names };
}

function columnsOfIndex(database: Database, name: string): string {
  return (
    database.prepare("SELECT name FROM pragma_index_info(?) ORDER BY seqno").pluck().all(name) as (string | null)[]
  )
    .join()
    .toLowerCase();
}
