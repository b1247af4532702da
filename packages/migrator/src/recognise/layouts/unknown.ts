import { type Catalog, hasColumns } from "../catalog.ts";
import { COMMON_COLUMNS, type Layout } from "../layout.ts";
import { documented15 } from "./documented_15.ts";
import { documented16 } from "./documented_16.ts";
import { fieldA } from "./field_a.ts";

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
export const unknown: Layout = {
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
