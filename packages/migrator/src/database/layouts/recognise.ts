import { type Catalog, hasColumns } from "./catalog.ts";
import { COMMON_COLUMNS, type Layout } from "./layout.ts";
import {
  documented15,
  documented16,
  fieldA,
  fieldB,
  halfUpgraded,
  halfUpgradedWithoutLevels,
  holdsPatterns,
  patterns,
  empty,
  foreign,
  fieldC,
  fieldD,
} from "./known_layouts.ts";

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
