import { tableHolds } from "../catalog.ts";
import { COMMON_COLUMNS, type Layout } from "../layout.ts";

/** The layout of the specification before 16: `interactions` with `empathy_level`. */
export const documented15: Layout = {
  name: "documented-15",
  title: "documented layout before 16",
  treatment: "rename",
  matches: (catalog) => tableHolds(catalog, "interactions", [...COMMON_COLUMNS, "empathy_level"], ["level"]),
};
