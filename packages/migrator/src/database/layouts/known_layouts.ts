import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { sqlName } from "@perdura/internals/text/quoted_sql.js";
import { type Catalog, entryNamed, hasColumns, hasTable, readCatalog } from "../sql/catalog.ts";
import { differencesOf } from "./layout_differences.ts";
import { type Layout, matchesTable, resemblesTable, treatmentOf } from "./layout.ts";
import { describeTable } from "./metrics_table.ts";
import {
  columnIn,
  commonColumns,
  DOCUMENTED_15,
  DOCUMENTED_16,
  knownTables,
  METRICS,
  METRICS_REBUILT,
  METRICS_WITHOUT_LEVELS,
  TABLE_LAYOUTS,
  type TableLayout,
} from "./table_layouts.ts";

/** A layout with one table of interactions; its treatment follows from the table. */
export interface TableCase {
  name: string;
  title: string;
  table: TableLayout;
  /** Distinguishes layouts of the same table. */
  when?: (catalog: Catalog) => boolean;
}

const hasOtherTypes = (catalog: Catalog): boolean => describeTable(catalog, DOCUMENTED_16).otherTypes.length > 0;

/** Only the order of the indexes shows how the file was created. */
const hasTimestampIndexFirst = (catalog: Catalog): boolean => {
  const names = catalog.entries.filter(({ type }) => type === "index").map(({ name }) => name);
  return names.includes("idx_timestamp") && names.indexOf("idx_timestamp") < names.indexOf("idx_user");
};

/** `ALTER TABLE … RENAME TO` writes the new name in quotes; programs never quoted it. */
const wasRebuilt = (catalog: Catalog): boolean =>
  entryNamed(catalog, METRICS.table, "table")?.sql?.includes(sqlName(METRICS.table)) === true;

/** The table that an interrupted upgrade was to replace is gone, and no other has interactions. */
const isAlone = (catalog: Catalog): boolean =>
  !hasTable(catalog, METRICS.table) && !hasInteractions(catalog, DOCUMENTED_16);

/** The first match is the layout: special cases precede general ones. */
export const ONE_TABLE: readonly TableCase[] = [
  { name: "documented-15", title: "documented pre-16 layout", table: DOCUMENTED_15 },
  {
    // The table gets the specified types.
    name: "documented-16-types",
    title: "documented layout of version 16, with columns of other types",
    table: DOCUMENTED_16,
    when: hasOtherTypes,
  },
  { name: "documented-16", title: "documented layout of version 16", table: DOCUMENTED_16 },
  { name: "field-a", title: "field layout A (programs up to 14.x)", table: METRICS },
  {
    name: "field-d",
    title: "field layout D (layout A rebuilt by a program of 15.0.0 or later: levels lost)",
    table: METRICS_WITHOUT_LEVELS,
    when: wasRebuilt,
  },
  {
    name: "field-c",
    title: "field layout C (layout A opened by a program of 15.0.0 or later: levels lost)",
    table: METRICS_WITHOUT_LEVELS,
    when: hasTimestampIndexFirst,
  },
  {
    name: "field-b",
    title: "field layout B (created by a program of 15.0.0 or later: no levels)",
    table: METRICS_WITHOUT_LEVELS,
  },
  {
    // Such a program ended late: the old table and its levels are lost; the new one does not have its final name yet.
    name: "half-upgraded",
    title: "half-upgraded field layout A (only metrics_new exists: levels lost)",
    table: METRICS_REBUILT,
    when: isAlone,
  },
];

/** Layouts of which a database can have one in addition to `interactions`: their rows are merged. */
const merged = (): TableLayout[] =>
  TABLE_LAYOUTS.filter(({ table }) => table !== "interactions" && table !== METRICS_REBUILT.table);

/** A pre-16 program wrote to a file that already had the documented table. */
const both = ({ table }: TableLayout): Pick<Layout, "name" | "title"> => ({
  name: "both",
  title: `two metrics tables (${table} and ${DOCUMENTED_16.table})`,
});

/**
 * A program of 15.0.0 or later ended while it rebuilt layout A: its new table exists next to the old one, which has the
 * levels.
 */
const HALF_UPGRADED: Layout = {
  name: "half-upgraded",
  title: "half-upgraded field layout A (both metrics and metrics_new exist)",
  treatment: "convert",
  tables: [METRICS],
};

/** Required columns of a pattern (specification, section 2.1). */
const COLUMNS = ["id", "agent_id", "pattern_type", "name"];

/** True if the database has a pattern library, alone or in addition to metrics. */
export function hasPatterns(catalog: Catalog): boolean {
  const names = new Set(catalog.columns.get("patterns")?.map(({ name }) => name.toLowerCase()));
  return COLUMNS.every((column) => names.has(column));
}

/** A pattern library without metrics. Its layout is the same in every version; field programs made no indexes. */
const PATTERNS: Layout = { name: "patterns", title: "pattern library", treatment: "keep", tables: [] };

/** A database without any table. */
const EMPTY: Layout = {
  name: "empty",
  title: "empty database",
  treatment: "leave",
  tables: [],
  sentence: "The database has no tables.",
};

/** All other databases, even with tables named `metrics` or `interactions`. */
const FOREIGN: Layout = {
  name: "foreign",
  title: "database of another program",
  treatment: "leave",
  tables: [],
  sentence: "The database has no tables of perdura or of pre-16 programs.",
};

/** Metrics that were changed, or that an unknown program wrote: they are reported, never silently skipped. */
const UNKNOWN: Layout = { name: "unknown", title: "metrics in an unknown layout", treatment: "refuse", tables: [] };

/** Recognises the layout of a database. A field layout together with a pattern library is named `combined-…`. */
export function recognise(catalog: Catalog): Layout {
  const layout = layoutOf(catalog);
  if (!layout.name.startsWith("field-") || !hasPatterns(catalog)) return layout;
  return {
    ...layout,
    name: layout.name.replace("field-", "combined-"),
    title: `patterns and metrics in one file, ${layout.title}`,
  };
}

/** The tables of a database, and the layout that they have. */
export interface Recognised {
  catalog: Catalog;
  layout: Layout;
}

export function recogniseDatabase(database: Database): Recognised {
  const catalog = readCatalog(database, knownTables());
  return { catalog, layout: recognise(catalog) };
}

function layoutOf(catalog: Catalog): Layout {
  const [own, second] = [[DOCUMENTED_15, DOCUMENTED_16], merged()].map((tables) =>
    tables.find((table) => matchesTable(catalog, table)),
  );
  if (own !== undefined && second !== undefined) return { ...both(second), treatment: "merge", tables: [own, second] };
  const like = merged().find((table) => hasInteractions(catalog, table));
  if (like !== undefined && hasInteractions(catalog, DOCUMENTED_15))
    return {
      ...UNKNOWN,
      ...both(like),
      sentence: `Both tables contain interactions, but the columns of one of them match no layout that this version of perdura-migrate supports. ${differences(catalog)}`,
    };
  if (hasTable(catalog, METRICS_REBUILT.table) && matchesTable(catalog, METRICS)) return HALF_UPGRADED;
  const [unknown] = unknownTables(catalog);
  if (unknown !== undefined)
    return {
      ...UNKNOWN,
      sentence: `The table ${unknown} contains interactions, but its columns match no layout that this version of perdura-migrate supports. ${differences(catalog)}`,
    };
  const found = ONE_TABLE.find(({ table, when }) => matchesTable(catalog, table) && when?.(catalog) !== false);
  if (found !== undefined) {
    const { name, title, table } = found;
    return { name, title, treatment: treatmentOf(describeTable(catalog, table)), tables: [table] };
  }
  if (hasPatterns(catalog)) return PATTERNS;
  const isEmpty = !catalog.entries.some(({ type, name }) => type === "table" && !name.startsWith("sqlite_"));
  return isEmpty ? EMPTY : FOREIGN;
}

/** True if a table has the columns of interactions, perhaps without levels. */
function hasInteractions(catalog: Catalog, layout: TableLayout): boolean {
  return hasColumns(catalog, layout.table, commonColumns(layout));
}

/** Tables with a name of the layouts whose columns no program is known to have. */
function unknownTables(catalog: Catalog): string[] {
  const tables = Map.groupBy(
    TABLE_LAYOUTS.filter((layout) => layout !== METRICS_REBUILT),
    ({ table }) => table,
  );
  const found = [...tables].filter(
    ([table, layouts]) =>
      computesLevels(catalog, table, layouts) ||
      (layouts.some((layout) => resemblesTable(catalog, layout)) &&
        !layouts.some((layout) => matchesTable(catalog, layout))),
  );
  return found.map(([table]) => table);
}

/** True if levels are generated from another column: these cannot be migrated. */
function computesLevels({ computed }: Catalog, table: string, layouts: readonly TableLayout[]): boolean {
  const levels = ["level", ...layouts.map((layout) => columnIn(layout, "level"))];
  return computed.get(table)?.some((column) => levels.includes(column)) === true;
}

/** The differences of the tables from the known layouts, in a sentence. */
function differences(catalog: Catalog): string {
  const found = [...new Set(TABLE_LAYOUTS.map(({ table }) => table))].flatMap((table) => {
    const listed = table !== METRICS_REBUILT.table && hasTable(catalog, table) ? differencesOf(catalog, table) : [];
    return listed.length === 0 ? [] : [`In ${table}, ${listed.join("; ")}`];
  });
  return `${found.length === 0 ? "Convert the table to a documented layout first" : found.join(". ")}. Nothing was changed.`;
}
