import { tableHolds } from "../catalog.ts";
import { COMMON_COLUMNS, type Layout } from "../layout.ts";

/** What programs up to 14.x wrote: `metrics` with `empathy_level` and `metadata`. */
export const fieldA: Layout = {
  name: "field-a",
  title: "field layout A (programs up to 14.x)",
  treatment: "convert",
  matches: (catalog) => tableHolds(catalog, "metrics", [...COMMON_COLUMNS, "empathy_level", "metadata"], ["level"]),
};
