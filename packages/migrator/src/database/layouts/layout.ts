import { columnsOf, type Schema, tableNames } from "@perdura/internals/sqlite/catalog.js";
import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { type OtherType, otherTypes } from "@perdura/internals/validity/column_types.js";
import { type Catalog, entryNamed } from "./catalog.ts";

/** The columns that the metrics tables of all layouts have (specification, section 2.5). */
export const COMMON_COLUMNS = ["user_id", "success", "response_time_ms", "timestamp"] as const;

/** Tables that determine the layout, in lower case. */
export const KNOWN_TABLES = [
  "interactions",
  "metrics",
  "metrics_new",
  "interaction_metadata",
  "patterns",
  "pattern_usage",
  "perdura_quarantine",
] as const;

/** Treatment of a database of a layout. */
export type Treatment =
  /** The level column is renamed in place, or columns get their specified types. */
  | "rename"
  /** Table and column are renamed, the metadata is moved to its side table. */
  | "convert"
  /** Two metrics tables: the rows of the field layout are merged into the documented one. */
  | "merge"
  /** At most missing indexes are built. */
  | "keep"
  /** Not supported by this version; see `sentence`. */
  | "refuse"
  /** Not perdura's data. */
  | "leave";

/** A layout of metrics databases that some program wrote. */
export interface Layout {
  name: string;
  title: string;
  treatment: Treatment;
  /** The table with the rows of a field layout, if it is not `metrics`. */
  table?: string;
  /** Reason to refuse a database of this layout, or to leave it alone. */
  sentence?: string;
  matches: (catalog: Catalog) => boolean;
}

/**
 * A table with levels under a name that no layout has: it was renamed or copied, or remains from an interrupted
 * upgrade.
 */
export interface LevelTable extends MetricsTable {
  level: string;
  /** True if `id` is the row id, so that ids are unique. */
  hasUniqueIds: boolean;
  /** True if it has every column of a metrics table, so that its rows are interactions. */
  hasInteractions: boolean;
}

/** Names of tables of the layouts, and prefixes of the tables of perdura-migrate and of SQLite. */
const RESERVED_NAMES = /^(?:interactions|metrics|perdura_.*|sqlite_.*)$/is;

/**
 * The tables with `id`, `user_id` and a level (`empathy_level` or `level`) whose names no layout has, in the order of
 * their creation.
 */
export function levelTables(database: Database, schema: Schema = "main"): LevelTable[] {
  return tableNames(database, schema)
    .ordinary.filter((name) => !RESERVED_NAMES.test(name))
    .flatMap((name) => describe(database, name, schema));
}

/** The table of interactions with levels of an attached database, which has the name of a layout or another one. */
export function interactionsWithLevels(database: Database, schema: Schema): LevelTable | undefined {
  const isNamed = (name: string): boolean => /^(?:interactions|metrics)$/i.test(name);
  return tableNames(database, schema)
    .ordinary.toSorted((one, other) => Number(isNamed(other)) - Number(isNamed(one)))
    .flatMap((name) => describe(database, name, schema))
    .find(({ hasInteractions }) => hasInteractions);
}

function describe(database: Database, name: string, schema: Schema): LevelTable[] {
  const columns = columnsOf(database, name, schema);
  const find = (wanted: string): string | null =>
    columns.find((column) => column.name.toLowerCase() === wanted)?.name ?? null;
  const level = find("empathy_level") ?? find("level");
  if (level === null || find("id") === null || find("user_id") === null) return [];
  return [
    {
      name,
      columns: columns.map((column) => column.name),
      level,
      metadata: find("metadata"),
      sideTable: false,
      otherTypes: [],
      hasUniqueIds:
        columns.some(
          (column) => column.name.toLowerCase() === "id" && column.type.toUpperCase() === "INTEGER" && column.pk === 1,
        ) && columns.filter(({ pk }) => pk > 0).length === 1,
      hasInteractions: COMMON_COLUMNS.every((column) => find(column) !== null),
    },
  ];
}

/** Finds a table by its name, ignoring ASCII case like SQLite. */
export function levelTableNamed(tables: readonly LevelTable[], name: string): LevelTable | undefined {
  return tables.find((table) => isSameName(table.name, name));
}

export function isSameName(one: string, other: string): boolean {
  return lower(one) === lower(other);
}

const lower = (name: string): string => name.replace(/[A-Z]/g, (letter) => letter.toLowerCase());

/** A table with interactions in its present form. */
export interface MetricsTable {
  /** As spelled in the file. */
  name: string;
  /** All columns, in order, as spelled in the file. */
  columns: string[];
  /** The level column, or null if the levels are lost. */
  level: string | null;
  /** The metadata column, or null if it has none. */
  metadata: string | null;
  /** True if the side table `interaction_metadata` exists. */
  sideTable: boolean;
  /** Columns whose declared types change what version 16 writes; the migration gives them the specified types. */
  otherTypes: OtherType[];
}

/** The metrics table of a layout that is migrated or is one of 16; otherwise null. */
export function metricsTableOf(catalog: Catalog, layout: Layout): MetricsTable | null {
  if (layout.treatment === "rename" || layout.name === "documented-16") return describeTable(catalog, "interactions");
  if (layout.treatment === "merge") return describeTable(catalog, "interactions");
  return layout.treatment === "convert" ? describeTable(catalog, layout.table ?? "metrics") : null;
}

/** The table whose rows are merged into {@link metricsTableOf}; null if there is only one. */
export function secondTableOf(catalog: Catalog, layout: Layout): MetricsTable | null {
  // The side table refers to the ids of the other table.
  return layout.treatment === "merge" ? { ...describeTable(catalog, "metrics"), sideTable: false } : null;
}

function describeTable(catalog: Catalog, name: string): MetricsTable {
  const listed = catalog.columns.get(name) ?? [];
  const columns = listed.map((column) => column.name);
  const entry = entryNamed(catalog, name, "table");
  const find = (wanted: string): string | null => columns.find((column) => column.toLowerCase() === wanted) ?? null;
  return {
    name: entry?.name ?? name,
    columns,
    level: find("empathy_level") ?? find("level"),
    metadata: name !== "interactions" ? find("metadata") : null,
    sideTable: catalog.columns.has("interaction_metadata"),
    otherTypes: otherTypes("interactions", listed, entry?.sql ?? ""),
  };
}
