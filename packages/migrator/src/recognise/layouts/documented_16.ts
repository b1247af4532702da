import { tableHolds } from "../catalog.ts";
import { COMMON_COLUMNS, type Layout } from "../layout.ts";

/** The target: `interactions` with `level` (specification, section 2.5). */
export const documented16: Layout = {
  name: "documented-16",
  title: "documented layout of 16",
  treatment: "keep",
  matches: (catalog) => tableHolds(catalog, "interactions", [...COMMON_COLUMNS, "level"], ["empathy_level"]),
};
