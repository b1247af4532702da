import { PATTERN_INDEXES } from "@perdura/internals/patterns/sqlite_schema.js";
import { INTERACTION_INDEXES } from "@perdura/internals/metrics/schema.js";
import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { type Catalog, entryNamed, type SchemaEntry } from "../recognise/catalog.ts";
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
export function buildIndexes(
  database: Database,
  catalog: Catalog,
  tables: { interactions: boolean; patterns: boolean },
): Step[] {
  return [
    ...(tables.interactions ? missing(database, catalog, INTERACTION_INDEXES, ["interactions", "metrics"]) : []),
    ...(tables.patterns ? missing(database, catalog, PATTERN_INDEXES, ["patterns"]) : []),
  ];
}

function missing(
  database: Database,
  catalog: Catalog,
  indexes: Record<string, string>,
  tables: readonly string[],
): Step[] {
  return Object.entries(indexes).flatMap(([name, statement]) => {
    const taken = entryNamed(catalog, name);
    if (taken === undefined)
      return [{ title: `build the index ${name}`, run: (connection: Database) => void connection.exec(statement) }];
    if (taken.type === "index" && tables.includes(taken.table.toLowerCase())) {
      // Without collations: an index takes those of its columns, so that our own may have any.
      if (shapeOf(database, taken).replaceAll(/ COLLATE [^,]*/g, "") === columnsIn(statement)) return [];
      throw new Stop(
        "refused",
        `The name ${name} is needed for a plain index of version 16 on ${columnsIn(statement)}, but the index of that name is another one (${shapeOf(database, taken)}). Rename it first.`,
      );
    }
    throw new Stop(
      "refused",
      `The name ${name} is needed for an index of version 16, but the ${taken.type} of that name belongs to ${taken.table}. Rename it first.`,
    );
  });
}

/** Steps that drop the indexes of the field's programs; an index of such a name that is another one is the user's and stays. */
export function dropFieldIndexes(database: Database, catalog: Catalog): { steps: Step[]; names: string[] } {
  const names = Object.entries(FIELD_INDEXES).flatMap(([name, columns]) => {
    const found = entryNamed(catalog, name, "index");
    return found?.table.toLowerCase() === "metrics" && shapeOf(database, found) === columns ? [found.name] : [];
  });
  const steps = names.map((name) => ({
    title: `drop the index ${name} of the old layout`,
    run: (connection: Database) => void connection.exec(`DROP INDEX main.${sqlName(name)}`),
  }));
  return { steps, names };
}

/** The columns that one of our own statements names. */
function columnsIn(statement: string): string {
  return statement.slice(statement.lastIndexOf("(") + 1, -1);
}

/** The columns of an index in order, with everything that makes it other than a plain one. */
function shapeOf(database: Database, { name, table }: SchemaEntry): string {
  const kind = database
    .prepare(
      `SELECT iif("unique", 'unique ', '') || iif(partial, 'partial ', '') FROM pragma_index_list(?, 'main') WHERE name = ?`,
    )
    .pluck()
    .get(table, name) as string;
  const columns = database
    .prepare(
      `SELECT ifnull(lower(name), '(expression)') || iif("desc", ' DESC', '') || iif(coll = 'BINARY' COLLATE NOCASE, '', ' COLLATE ' || coll) FROM pragma_index_xinfo(?, 'main') WHERE key = 1 ORDER BY seqno`,
    )
    .pluck()
    .all(name) as string[];
  return kind + columns.join();
}
