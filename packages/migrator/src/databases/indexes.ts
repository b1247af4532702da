import { PATTERN_INDEXES } from "@perdura/internals/patterns/sqlite_schema.js";
import { INTERACTION_INDEXES } from "@perdura/internals/metrics/schema.js";
import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { type Catalog, entryNamed, type SchemaEntry } from "../recognise/catalog.ts";
import { readRecords } from "../record/migration_record.ts";
import { Stop } from "../core/stop.ts";
import { sqlName } from "./sql_text.ts";
import type { Step } from "./step.ts";

/** The indexes that programs of the field made on `metrics`, and what each holds. */
const FIELD_INDEXES: Record<string, string> = {
  idx_user_level: "user_id,empathy_level",
  idx_user: "user_id",
  idx_timestamp: "timestamp",
};

/** Steps that build or drop indexes, and the names of these. */
interface IndexChange {
  steps: Step[];
  names: string[];
}

/**
 * Steps that build what is missing of section 2.3 for the tables that the database will have.
 *
 * @param tables Names that the table of interactions has or had, lower case; none where there is no such table.
 */
export function buildIndexes(
  database: Database,
  catalog: Catalog,
  tables: { interactions: readonly string[]; patterns: boolean },
): IndexChange {
  const missed = [
    ...(tables.interactions.length > 0 ? missing(database, catalog, INTERACTION_INDEXES, tables.interactions) : []),
    ...(tables.patterns ? missing(database, catalog, PATTERN_INDEXES, ["patterns"]) : []),
  ];
  return {
    names: missed.map(([name]) => name),
    steps: missed.map(([name, statement]) => ({
      title: `build the index ${name}`,
      whole: true,
      run: (connection) => void connection.exec(statement),
    })),
  };
}

function missing(
  database: Database,
  catalog: Catalog,
  indexes: Record<string, string>,
  tables: readonly string[],
): [name: string, statement: string][] {
  return Object.entries(indexes).flatMap(([name, statement]): [string, string][] => {
    const taken = entryNamed(catalog, name);
    if (taken === undefined) return [[name, statement]];
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

/** Steps that drop the indexes of the field's programs. */
export function dropFieldIndexes(database: Database, catalog: Catalog, table = "metrics"): IndexChange {
  return dropping(fieldIndexes(database, catalog, table));
}

/** Names of the indexes of the field's programs; an index of such a name that is another one is the user's. */
export function fieldIndexes(database: Database, catalog: Catalog, table: string): string[] {
  return Object.entries(FIELD_INDEXES).flatMap(([name, columns]) => {
    const found = entryNamed(catalog, name, "index");
    return found?.table.toLowerCase() === table.toLowerCase() && shapeOf(database, found) === columns
      ? [found.name]
      : [];
  });
}

/** Steps that drop what a migration with deferred indexes left of the field's: by its record, and as it left them. */
export function keptFieldIndexes(database: Database, catalog: Catalog): IndexChange {
  const recorded = readRecords(database).flatMap(({ former }) =>
    former.objects.filter(({ type, table }) => type === "index" && table.toLowerCase() !== "interactions"),
  );
  const names = Object.entries(FIELD_INDEXES).flatMap(([name, columns]) => {
    const found = entryNamed(catalog, name, "index");
    const isOurs =
      found?.table.toLowerCase() === "interactions" &&
      recorded.some((old) => old.name === found.name) &&
      shapeOf(database, found) === columns.replace("empathy_level", "level");
    return isOurs ? [found.name] : [];
  });
  return dropping(names);
}

function dropping(names: string[]): IndexChange {
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
