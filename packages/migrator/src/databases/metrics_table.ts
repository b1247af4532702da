import { type Catalog, entryNamed } from "../recognise/catalog.ts";
import type { Layout } from "../recognise/layout.ts";

/** A table that holds interactions, as it is now. */
export interface MetricsTable {
  /** In the spelling of the file. */
  name: string;
  /** Every column, in order, in the spelling of the file. */
  columns: string[];
  /** The column of the level, or null where the levels are gone. */
  level: string | null;
  /** The column of the metadata, or null where it has none. */
  metadata: string | null;
  /** True when the side table `interaction_metadata` stands beside it. */
  sideTable: boolean;
}

/** The metrics table of a layout that is migrated or is one of 16; otherwise null. */
export function metricsTableOf(catalog: Catalog, layout: Layout): MetricsTable | null {
  if (layout.treatment === "rename" || layout.name === "documented-16") return describeTable(catalog, "interactions");
  if (layout.treatment === "unite") return describeTable(catalog, "interactions");
  return layout.treatment === "convert" ? describeTable(catalog, layout.table ?? "metrics") : null;
}

/** The table whose rows join those of {@link metricsTableOf}; null where there is one table only. */
export function secondTableOf(catalog: Catalog, layout: Layout): MetricsTable | null {
  // The side table belongs to the ids of the other one.
  return layout.treatment === "unite" ? { ...describeTable(catalog, "metrics"), sideTable: false } : null;
}

function describeTable(catalog: Catalog, name: string): MetricsTable {
  const columns = (catalog.columns.get(name) ?? []).map((column) => column.name);
  const find = (wanted: string): string | null => columns.find((column) => column.toLowerCase() === wanted) ?? null;
  return {
    name: entryNamed(catalog, name, "table")?.name ?? name,
    columns,
    level: find("empathy_level") ?? find("level"),
    metadata: name !== "interactions" ? find("metadata") : null,
    sideTable: catalog.columns.has("interaction_metadata"),
  };
}
