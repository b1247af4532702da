import { INTERACTION_INDEXES } from "@perdura/internals/metrics/schema.js";
import { PATTERN_INDEXES } from "@perdura/internals/patterns/sqlite_schema.js";
import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { sqlName } from "@perdura/internals/text/quoted_sql.js";
import { Stop } from "../../core/stop.ts";
import { type Catalog, entryNamed, type SchemaEntry } from "../sql/catalog.ts";
import { hasPatterns } from "../layouts/known_layouts.ts";
import type { Layout } from "../layouts/layout.ts";
import type { Step } from "../steps/step.ts";
import type { Found } from "./findings.ts";

/** Changes of the indexes. */
interface IndexPlan {
  drop: Step[];
  build: Step[];
  /** Names of indexes of the old layout that do not exist afterwards, and of new ones. */
  dropped: string[];
  built: string[];
}

/**
 * Replaces the indexes of the old layout by those of version 16.
 *
 * @throws Stop if a name that version 16 needs is taken.
 */
export function planIndexes(database: Database, catalog: Catalog, found: Found): IndexPlan {
  const { layout, first, second } = found;
  const missing = buildIndexes(database, catalog, {
    interactions: first === null ? [] : [...new Set(["interactions", first.table.name.toLowerCase()])],
    patterns: hasPatterns(catalog),
  });
  const former = formerIndexes(database, catalog, layout);
  return {
    // Those of a second table are dropped with it.
    drop: second === null ? former.map(dropping) : [],
    build: missing.steps,
    dropped: former,
    built: missing.names,
  };
}

/** Steps that build indexes, with their names. */
interface IndexChange {
  steps: Step[];
  names: string[];
}

/** Names of the indexes that programs made on the tables of a layout; a different index with such a name is the user's. */
export function formerIndexes(database: Database, catalog: Catalog, { tables }: Layout): string[] {
  return tables.flatMap(({ table, programs }) =>
    Object.entries(programs?.indexes ?? {}).flatMap(([name, columns]) => {
      const found = entryNamed(catalog, name, "index");
      return found?.table.toLowerCase() === table && shapeOf(database, found) === columns ? [found.name] : [];
    }),
  );
}

const dropping = (name: string): Step => ({
  title: `drop the index ${name} of the pre-16 layout`,
  run: (database) => void database.exec(`DROP INDEX main.${sqlName(name)}`),
});

/** The columns of one of our own statements. */
function columnsIn(statement: string): string {
  return statement.slice(statement.lastIndexOf("(") + 1, -1);
}

/** The columns of an index in order, with all properties that a plain index does not have. */
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

/**
 * Steps that build the missing indexes of section 2.3 for the future tables of the database.
 *
 * @param tables Present and former names of the table of interactions, in lower case; empty without such a table.
 */
function buildIndexes(
  database: Database,
  catalog: Catalog,
  tables: { interactions: readonly string[]; patterns: boolean },
): IndexChange {
  const missed = [
    ...(tables.interactions.length > 0
      ? missingIndexes(database, catalog, INTERACTION_INDEXES, tables.interactions)
      : []),
    ...(tables.patterns ? missingIndexes(database, catalog, PATTERN_INDEXES, ["patterns"]) : []),
  ];
  return {
    names: missed.map(([name]) => name),
    steps: missed.map(([name, statement]) => ({
      kind: "build-index",
      title: `build the index ${name}`,
      whole: true,
      run: (connection) => void connection.exec(statement),
    })),
  };
}

function missingIndexes(
  database: Database,
  catalog: Catalog,
  indexes: Record<string, string>,
  tables: readonly string[],
): [name: string, statement: string][] {
  return Object.entries(indexes).flatMap(([name, statement]): [string, string][] => {
    const taken = entryNamed(catalog, name);
    if (taken === undefined) return [[name, statement]];
    if (taken.type === "index" && tables.includes(taken.table.toLowerCase())) {
      // Ignores collations: an index has those of its columns, so ours may have any.
      if (shapeOf(database, taken).replaceAll(/ COLLATE [^,]*/g, "") === columnsIn(statement)) return [];
      throw new Stop(
        "refused",
        `The name ${name} is needed for a plain index of version 16 on ${columnsIn(statement)}, but the index of that name is different (${shapeOf(database, taken)}). Drop that index first; it can be created again under another name.`,
      );
    }
    throw new Stop(
      "refused",
      `The name ${name} is needed for an index of version 16, but the ${taken.type} of that name belongs to ${taken.table}. Give it another name first.`,
    );
  });
}

/** Tables whose rows move, now or in a downgrade. If only names change, an index is not touched. */
export function movedTables({ first, second, layout }: Found): string[] {
  const tables = [first, second].filter((found) => found !== null);
  const moves =
    layout.treatment !== "rename" || tables.some(({ blocked, table }) => blocked > 0 || table.otherTypes.length > 0);
  return moves ? [...tables.map(({ table }) => table.name), "interaction_metadata"] : [];
}
