import { hasColumns, hasTable, tableHolds } from "../catalog.ts";
import { COMMON_COLUMNS, type Layout } from "../layout.ts";
import { fieldA } from "./field_a.ts";

/** A program of 15.0.0 or later died while it rebuilt layout A: its new table stands beside the old one, which has the levels. */
export const halfUpgraded: Layout = {
  name: "half-upgraded",
  title: "half-upgraded field layout A (metrics_new stands beside metrics)",
  treatment: "convert",
  matches: (catalog) => hasTable(catalog, "metrics_new") && fieldA.matches(catalog),
};

/** Such a program died later: the old table is gone, and with it the levels; the new one did not get its name yet. */
export const halfUpgradedWithoutLevels: Layout = {
  name: "half-upgraded",
  title: "half-upgraded field layout A (only metrics_new is left: levels lost)",
  treatment: "convert",
  table: "metrics_new",
  matches: (catalog) =>
    !hasTable(catalog, "metrics") &&
    !hasColumns(catalog, "interactions", COMMON_COLUMNS) &&
    tableHolds(catalog, "metrics_new", [...COMMON_COLUMNS, "metadata"], ["empathy_level", "level"]),
};
