import { hasTable, tableHolds } from "../catalog.ts";
import { COMMON_COLUMNS, type Layout } from "../layout.ts";

/** A program of 15.0.0 or later died while it rebuilt layout A: its new table stands beside the old one. */
export const halfUpgraded: Layout = {
  name: "half-upgraded",
  title: "half-upgraded field layout A (metrics_new stands beside metrics)",
  treatment: "refuse",
  sentence:
    "A program of 15.0.0 or later stopped in the middle of its own upgrade. The levels are still in the table metrics. This version of perdura-migrate does not take such files on; the file was left as it is.",
  matches: (catalog) => hasTable(catalog, "metrics_new") && tableHolds(catalog, "metrics", COMMON_COLUMNS),
};
