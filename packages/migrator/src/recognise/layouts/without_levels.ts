import { type Catalog, entryNamed, tableHolds } from "../catalog.ts";
import { COMMON_COLUMNS, type Layout } from "../layout.ts";

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

export const fieldD: Layout = {
  name: "field-d",
  title: "field layout D (layout A rebuilt by a program of 15.0.0 or later: levels lost)",
  treatment: "convert",
  matches: (catalog) => holdsNoLevels(catalog) && wasRebuilt(catalog),
};

export const fieldC: Layout = {
  name: "field-c",
  title: "field layout C (layout A opened by a program of 15.0.0 or later: levels lost)",
  treatment: "convert",
  matches: (catalog) => holdsNoLevels(catalog) && timestampIndexFirst(catalog),
};

export const fieldB: Layout = {
  name: "field-b",
  title: "field layout B (a new file of a program of 15.0.0 or later: no levels)",
  treatment: "convert",
  matches: holdsNoLevels,
};
