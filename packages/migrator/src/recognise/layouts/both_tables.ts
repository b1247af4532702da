import { hasColumns } from "../catalog.ts";
import { COMMON_COLUMNS, type Layout } from "../layout.ts";

/** Two metrics tables: an old program wrote to a file that already had the documented table. */
export const bothTables: Layout = {
  name: "both",
  title: "two metrics tables (metrics and interactions)",
  treatment: "refuse",
  sentence:
    "Both tables hold interactions and would have to be merged. This version of perdura-migrate does not merge; the file was left as it is.",
  matches: (catalog) =>
    hasColumns(catalog, "metrics", COMMON_COLUMNS) && hasColumns(catalog, "interactions", COMMON_COLUMNS),
};
