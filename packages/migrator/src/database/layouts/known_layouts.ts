import { type Catalog, entryNamed, hasColumns, hasTable, tableHolds } from "./catalog.ts";
import { COMMON_COLUMNS, type Layout } from "./layout.ts";

/** The layout of the specification before 16: `interactions` with `empathy_level`. */
const documented15: Layout = {
  name: "documented-15",
  title: "documented layout before 16",
  treatment: "rename",
  matches: (catalog) => tableHolds(catalog, "interactions", [...COMMON_COLUMNS, "empathy_level"], ["level"]),
};

/** The target: `interactions` with `level` (specification, section 2.5). */
const documented16: Layout = {
  name: "documented-16",
  title: "documented layout of 16",
  treatment: "keep",
  matches: (catalog) => tableHolds(catalog, "interactions", [...COMMON_COLUMNS, "level"], ["empathy_level"]),
};

/** What programs up to 14.x wrote: `metrics` with `empathy_level` and `metadata`. */
const fieldA: Layout = {
  name: "field-a",
  title: "field layout A (programs up to 14.x)",
  treatment: "convert",
  matches: (catalog) => tableHolds(catalog, "metrics", [...COMMON_COLUMNS, "empathy_level", "metadata"], ["level"]),
};

/** A program of 15.0.0 or later died while it rebuilt layout A: its new table stands beside the old one, which has the levels. */
const halfUpgraded: Layout = {
  name: "half-upgraded",
  title: "half-upgraded field layout A (metrics_new stands beside metrics)",
  treatment: "convert",
  matches: (catalog) => hasTable(catalog, "metrics_new") && fieldA.matches(catalog),
};

/** Such a program died later: the old table is gone, and with it the levels; the new one did not get its name yet. */
const halfUpgradedWithoutLevels: Layout = {
  name: "half-upgraded",
  title: "half-upgraded field layout A (only metrics_new is left: levels lost)",
  treatment: "convert",
  table: "metrics_new",
  matches: (catalog) =>
    !hasTable(catalog, "metrics") &&
    !hasColumns(catalog, "interactions", COMMON_COLUMNS) &&
    tableHolds(catalog, "metrics_new", [...COMMON_COLUMNS, "metadata"], ["empathy_level", "level"]),
};

/** Required columns of a pattern (specification, section 2.1). */
const COLUMNS = ["id", "agent_id", "pattern_type", "name", "context", "confidence", "tags"];

/** True when the database holds a pattern library, alone or beside metrics. */
export function holdsPatterns(catalog: Catalog): boolean {
  const names = new Set(catalog.columns.get("patterns")?.map(({ name }) => name.toLowerCase()));
  return COLUMNS.every((column) => names.has(column));
}

/** A pattern library without metrics. Its layout is the same in every version; the field's programs made no indexes. */
const patterns: Layout = {
  name: "patterns",
  title: "pattern library",
  treatment: "keep",
  matches: holdsPatterns,
};

/** A database without any table. */
const empty: Layout = {
  name: "empty",
  title: "empty database",
  treatment: "leave",
  sentence: "The database has no tables.",
  matches: ({ entries }) => !entries.some(({ type, name }) => type === "table" && !name.startsWith("sqlite_")),
};

/** Everything else; tables that happen to be called `metrics` or `interactions` included. */
const foreign: Layout = {
  name: "foreign",
  title: "database of another program",
  treatment: "leave",
  sentence: "Its tables are not those of perdura or of the programs before it.",
  matches: () => true,
};

/** Layouts whose levels are gone (or never were): what programs of 15.0.0 and later wrote. Somebody has to say which to take. */
const holdsNoLevels = (catalog: Catalog): boolean =>
  tableHolds(catalog, "metrics", [...COMMON_COLUMNS, "metadata"], ["empathy_level", "level"]);

/** The order of the indexes is the trace that is left of how the file came to be. */
const timestampIndexFirst = (catalog: Catalog): boolean => {
  const names = catalog.entries.filter(({ type }) => type === "index").map(({ name }) => name);
  return names.includes("idx_timestamp") && names.indexOf("idx_timestamp") < names.indexOf("idx_user");
};

/** `ALTER TABLE … RENAME TO` leaves the new name in quotes; programs never quoted it. */
const wasRebuilt = (catalog: Catalog): boolean =>
  entryNamed(catalog, "metrics", "table")?.sql?.includes('"metrics"') === true;

const fieldD: Layout = {
  name: "field-d",
  title: "field layout D (layout A rebuilt by a program of 15.0.0 or later: levels lost)",
  treatment: "convert",
  matches: (catalog) => holdsNoLevels(catalog) && wasRebuilt(catalog),
};

const fieldC: Layout = {
  name: "field-c",
  title: "field layout C (layout A opened by a program of 15.0.0 or later: levels lost)",
  treatment: "convert",
  matches: (catalog) => holdsNoLevels(catalog) && timestampIndexFirst(catalog),
};

const fieldB: Layout = {
  name: "field-b",
  title: "field layout B (a new file of a program of 15.0.0 or later: no levels)",
  treatment: "convert",
  matches: holdsNoLevels,
};

const NAME = "both";
const TITLE = "two metrics tables (metrics and interactions)";

/** An old program wrote to a file that already had the documented table. */
const bothTables: Layout = {
  name: NAME,
  title: TITLE,
  treatment: "unite",
  matches: (catalog) => anyOf([documented15, documented16], catalog) && anyOf([fieldA, fieldB], catalog),
};

/** Two metrics tables of which one is in a layout that is not known. */
const bothTablesOdd: Layout = {
  name: NAME,
  title: TITLE,
  treatment: "refuse",
  sentence:
    "Both tables hold interactions, but the columns of one of them are those of no layout that this version of perdura-migrate knows; the file was left as it is. Bring that table to a documented layout first.",
  matches: (catalog) =>
    hasColumns(catalog, "metrics", COMMON_COLUMNS) && hasColumns(catalog, "interactions", COMMON_COLUMNS),
};

function anyOf(layouts: readonly Layout[], catalog: Catalog): boolean {
  return layouts.some(({ matches }) => matches(catalog));
}

/** By name, the layouts whose levels stand in that table. */
const KNOWN: Record<string, readonly Layout[]> = {
  interactions: [documented15, documented16],
  metrics: [fieldA],
};

/** Levels of users in a table of ours by its name: no other program is known to have such. */
const holdsLevels = (catalog: Catalog, table: string): boolean =>
  [
    ["user_id", "empathy_level"],
    ["level", "empathy_level"],
    [...COMMON_COLUMNS, "level"],
  ].some((columns) => hasColumns(catalog, table, columns));

/** Levels that are computed from another column cannot be carried over. */
const computesLevels = ({ computed }: Catalog, table: string): boolean =>
  computed.get(table)?.some((column) => column === "empathy_level" || column === "level") === true;

/** Metrics that somebody changed, or that a program wrote which nobody has told us of: named, never passed over in silence. */
const unknown: Layout = {
  name: "unknown",
  title: "metrics in a layout that is not known",
  treatment: "refuse",
  sentence:
    "A table called metrics or interactions holds levels, but its columns are those of no layout that this version of perdura-migrate knows; the file was left as it is. Bring the table to a documented layout first.",
  matches: (catalog) =>
    Object.entries(KNOWN).some(
      ([table, layouts]) =>
        computesLevels(catalog, table) ||
        (holdsLevels(catalog, table) && !layouts.some(({ matches }) => matches(catalog))),
    ),
};

/** The first that matches names the layout: the special cases come before what they are a case of. */
const LAYOUTS: readonly Layout[] = [
  bothTables,
  bothTablesOdd,
  halfUpgraded,
  unknown,
  documented15,
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

/** Names the layout of a database. A field layout with a pattern library beside it is called `combined-…`. */
export function recognise(catalog: Catalog): Layout {
  const layout = LAYOUTS.find(({ matches }) => matches(catalog)) as Layout;
  if (!layout.name.startsWith("field-") || !holdsPatterns(catalog)) return layout;
  return {
    ...layout,
    name: layout.name.replace("field-", "combined-"),
    title: `patterns and metrics in one file, ${layout.title}`,
  };
}
