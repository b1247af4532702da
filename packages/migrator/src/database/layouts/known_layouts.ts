import { otherTypes } from "@perdura/internals/validity/column_types.js";
import { type Catalog, entryNamed, hasColumns, hasTable, isMetricsTable } from "./catalog.ts";
import { differencesOf } from "./layout_differences.ts";
import { COMMON_COLUMNS, type Layout } from "./layout.ts";

/** The pre-16 layout of the specification: `interactions` with `empathy_level`. */
const documented15: Layout = {
  name: "documented-15",
  title: "documented pre-16 layout",
  treatment: "rename",
  matches: (catalog) => isMetricsTable(catalog, "interactions", [...COMMON_COLUMNS, "empathy_level"], ["level"]),
};

/** The target: `interactions` with `level` (specification, section 2.5). */
const documented16: Layout = {
  name: "documented-16",
  title: "documented layout of version 16",
  treatment: "keep",
  matches: (catalog) => isMetricsTable(catalog, "interactions", [...COMMON_COLUMNS, "level"], ["empathy_level"]),
};

/** The target, with declared types that change values: the table gets the specified types. */
const documented16OfOtherTypes: Layout = {
  name: "documented-16-types",
  title: "documented layout of version 16, with columns of other types",
  treatment: "rename",
  matches: (catalog) => documented16.matches(catalog) && hasOtherTypes(catalog, "interactions"),
};

function hasOtherTypes(catalog: Catalog, table: string): boolean {
  const sql = entryNamed(catalog, table, "table")?.sql ?? "";
  return otherTypes("interactions", catalog.columns.get(table) ?? [], sql).length > 0;
}

/** The layout of programs up to 14.x: `metrics` with `empathy_level` and `metadata`. */
const fieldA: Layout = {
  name: "field-a",
  title: "field layout A (programs up to 14.x)",
  treatment: "convert",
  // A program that stored no metadata left the column out.
  matches: (catalog) => isMetricsTable(catalog, "metrics", [...COMMON_COLUMNS, "empathy_level"], ["level"]),
};

/**
 * A program of 15.0.0 or later ended while it rebuilt layout A: its new table exists next to the old one, which has the
 * levels.
 */
const halfUpgraded: Layout = {
  name: "half-upgraded",
  title: "half-upgraded field layout A (both metrics and metrics_new exist)",
  treatment: "convert",
  matches: (catalog) => hasTable(catalog, "metrics_new") && fieldA.matches(catalog),
};

/** Such a program ended later: the old table and its levels are lost; the new one does not have its final name yet. */
const halfUpgradedWithoutLevels: Layout = {
  name: "half-upgraded",
  title: "half-upgraded field layout A (only metrics_new exists: levels lost)",
  treatment: "convert",
  table: "metrics_new",
  matches: (catalog) =>
    !hasTable(catalog, "metrics") &&
    !hasColumns(catalog, "interactions", COMMON_COLUMNS) &&
    isMetricsTable(catalog, "metrics_new", [...COMMON_COLUMNS, "metadata"], ["empathy_level", "level"]),
};

/** Required columns of a pattern (specification, section 2.1). */
const COLUMNS = ["id", "agent_id", "pattern_type", "name"];

/** True if the database has a pattern library, alone or in addition to metrics. */
export function hasPatterns(catalog: Catalog): boolean {
  const names = new Set(catalog.columns.get("patterns")?.map(({ name }) => name.toLowerCase()));
  return COLUMNS.every((column) => names.has(column));
}

/** A pattern library without metrics. Its layout is the same in every version; field programs made no indexes. */
const patterns: Layout = {
  name: "patterns",
  title: "pattern library",
  treatment: "keep",
  matches: hasPatterns,
};

/** A database without any table. */
const empty: Layout = {
  name: "empty",
  title: "empty database",
  treatment: "leave",
  sentence: "The database has no tables.",
  matches: ({ entries }) => !entries.some(({ type, name }) => type === "table" && !name.startsWith("sqlite_")),
};

/** All other databases, even with tables named `metrics` or `interactions`. */
const foreign: Layout = {
  name: "foreign",
  title: "database of another program",
  treatment: "leave",
  sentence: "The database has no tables of perdura or of pre-16 programs.",
  matches: () => true,
};

/**
 * Layouts whose levels were lost (or never existed): those of programs of 15.0.0 and later. The operator has to choose
 * levels.
 */
const hasNoLevels = (catalog: Catalog): boolean =>
  isMetricsTable(catalog, "metrics", COMMON_COLUMNS, ["empathy_level", "level"]);

/** Only the order of the indexes shows how the file was created. */
const timestampIndexFirst = (catalog: Catalog): boolean => {
  const names = catalog.entries.filter(({ type }) => type === "index").map(({ name }) => name);
  return names.includes("idx_timestamp") && names.indexOf("idx_timestamp") < names.indexOf("idx_user");
};

/** `ALTER TABLE … RENAME TO` writes the new name in quotes; programs never quoted it. */
const wasRebuilt = (catalog: Catalog): boolean =>
  entryNamed(catalog, "metrics", "table")?.sql?.includes('"metrics"') === true;

const fieldD: Layout = {
  name: "field-d",
  title: "field layout D (layout A rebuilt by a program of 15.0.0 or later: levels lost)",
  treatment: "convert",
  matches: (catalog) => hasNoLevels(catalog) && wasRebuilt(catalog),
};

const fieldC: Layout = {
  name: "field-c",
  title: "field layout C (layout A opened by a program of 15.0.0 or later: levels lost)",
  treatment: "convert",
  matches: (catalog) => hasNoLevels(catalog) && timestampIndexFirst(catalog),
};

const fieldB: Layout = {
  name: "field-b",
  title: "field layout B (created by a program of 15.0.0 or later: no levels)",
  treatment: "convert",
  matches: hasNoLevels,
};

const NAME = "both";
const TITLE = "two metrics tables (metrics and interactions)";

/** A pre-16 program wrote to a file that already had the documented table. */
const bothTables: Layout = {
  name: NAME,
  title: TITLE,
  treatment: "merge",
  matches: (catalog) => anyOf([documented15, documented16], catalog) && anyOf([fieldA, fieldB], catalog),
};

/** Two metrics tables, one of them in an unknown layout. */
const bothTablesUnknown: Layout = {
  name: NAME,
  title: TITLE,
  treatment: "refuse",
  matches: (catalog) =>
    hasColumns(catalog, "metrics", COMMON_COLUMNS) && hasColumns(catalog, "interactions", COMMON_COLUMNS),
};

function anyOf(layouts: readonly Layout[], catalog: Catalog): boolean {
  return layouts.some(({ matches }) => matches(catalog));
}

/** The known layouts, keyed by their table. */
const KNOWN: Record<string, readonly Layout[]> = {
  interactions: [documented15, documented16],
  metrics: [fieldA, fieldB],
};

/** True if a table with one of our names has columns that no other program is known to have. */
const hasInteractions = (catalog: Catalog, table: string): boolean =>
  [["user_id", "empathy_level"], ["level", "empathy_level"], COMMON_COLUMNS].some((columns) =>
    hasColumns(catalog, table, columns),
  );

/** True if levels are generated from another column: these cannot be migrated. */
const computesLevels = ({ computed }: Catalog, table: string): boolean =>
  computed.get(table)?.some((column) => column === "empathy_level" || column === "level") === true;

/** Metrics that were changed, or that an unknown program wrote: they are reported, never silently skipped. */
const unknown: Layout = {
  name: "unknown",
  title: "metrics in an unknown layout",
  treatment: "refuse",
  matches: (catalog) =>
    Object.entries(KNOWN).some(
      ([table, layouts]) =>
        computesLevels(catalog, table) ||
        (hasInteractions(catalog, table) && !layouts.some(({ matches }) => matches(catalog))),
    ),
};

/** The first match is the layout: special cases precede general ones. */
const LAYOUTS: readonly Layout[] = [
  bothTables,
  bothTablesUnknown,
  halfUpgraded,
  unknown,
  documented15,
  documented16OfOtherTypes,
  documented16,
  fieldA,
  fieldD,
  fieldC,
  fieldB,
  halfUpgradedWithoutLevels,
  patterns,
  empty,
  foreign,
];

/** The differences of both tables from the known layouts, in a sentence. */
function differences(catalog: Catalog): string {
  const found = Object.keys(KNOWN).flatMap((table) => {
    const listed = hasTable(catalog, table) ? differencesOf(catalog, table) : [];
    return listed.length === 0 ? [] : [`In ${table}, ${listed.join("; ")}`];
  });
  return `${found.length === 0 ? "Convert the table to a documented layout first" : found.join(". ")}. Nothing was changed.`;
}

/** Recognises the layout of a database. A field layout together with a pattern library is named `combined-…`. */
export function recognise(catalog: Catalog): Layout {
  const layout = LAYOUTS.find(({ matches }) => matches(catalog)) as Layout;
  if (layout === unknown)
    return {
      ...layout,
      sentence: `A table named metrics or interactions contains interactions, but its columns match no layout that this version of perdura-migrate supports. ${differences(catalog)}`,
    };
  if (layout === bothTablesUnknown)
    return {
      ...layout,
      sentence: `Both tables contain interactions, but the columns of one of them match no layout that this version of perdura-migrate supports. ${differences(catalog)}`,
    };
  if (!layout.name.startsWith("field-") || !hasPatterns(catalog)) return layout;
  return {
    ...layout,
    name: layout.name.replace("field-", "combined-"),
    title: `patterns and metrics in one file, ${layout.title}`,
  };
}
