import { type Catalog, entryNamed } from "../recognise/catalog.ts";
import type { Layout } from "../recognise/layout.ts";

/** The table that holds the interactions, as it is now. */
export interface MetricsTable {
  /** In the spelling of the file. */
  name: string;
  /** Every column, in order, in the spelling of the file. */
  columns: string[];
  /** The column of the level. */
  level: string;
  /** The column of the metadata, or null where it has none. */
  metadata: string | null;
  /** True when the side table `interaction_metadata` stands beside it. */
  sideTable: boolean;
}

/** The metrics table of a layout that has one with levels; otherwise null. */
export function metricsTableOf(catalog: Catalog, layout: Layout): MetricsTable | null {
  if (layout.treatment === "rename" || layout.name === "documented-16") return describeTable(catalog, "interactions");
  return layout.treatment === "convert" ? describeTable(catalog, "metrics") : null;
}

function describeTable(catalog: Catalog, name: string): MetricsTable {
  const columns = (catalog.columns.get(name) ?? []).map((column) => column.name);
  const find = (wanted: string): string | null => columns.find((column) => column.toLowerCase() === wanted) ?? null;
  const level = find("empathy_level") ?? find("level");
  if (level === null) throw new Error(`The table ${name} was recognised, but has no column for the level.`);
  return {
    name: entryNamed(catalog, name, "table")?.name ?? name,
    columns,
    level,
    metadata: name === "metrics" ? find("metadata") : null,
    sideTable: catalog.columns.has("interaction_metadata"),
  };
}
