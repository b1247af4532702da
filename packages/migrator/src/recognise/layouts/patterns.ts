import type { Catalog } from "../catalog.ts";
import type { Layout } from "../layout.ts";

/** Required columns of a pattern (specification, section 2.1). */
const COLUMNS = ["id", "agent_id", "pattern_type", "name", "context", "confidence", "tags"];

/** True when the database holds a pattern library, alone or beside metrics. */
export function holdsPatterns(catalog: Catalog): boolean {
  const names = new Set(catalog.columns.get("patterns")?.map(({ name }) => name.toLowerCase()));
  return COLUMNS.every((column) => names.has(column));
}

/** A pattern library without metrics. Its layout is the same in every version; the field's programs made no indexes. */
export const patterns: Layout = {
  name: "patterns",
  title: "pattern library",
  treatment: "keep",
  matches: holdsPatterns,
};
