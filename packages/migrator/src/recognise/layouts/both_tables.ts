import { type Catalog, hasColumns } from "../catalog.ts";
import { COMMON_COLUMNS, type Layout } from "../layout.ts";
import { documented15 } from "./documented_15.ts";
import { documented16 } from "./documented_16.ts";
import { fieldA } from "./field_a.ts";
import { fieldB } from "./without_levels.ts";

const NAME = "both";
const TITLE = "two metrics tables (metrics and interactions)";

/** An old program wrote to a file that already had the documented table. */
export const bothTables: Layout = {
  name: NAME,
  title: TITLE,
  treatment: "unite",
  matches: (catalog) => anyOf([documented15, documented16], catalog) && anyOf([fieldA, fieldB], catalog),
};

/** Two metrics tables of which one is in a layout that is not known. */
export const bothTablesOdd: Layout = {
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
