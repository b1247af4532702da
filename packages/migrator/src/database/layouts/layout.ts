import { columnsOf, tableNames } from "@perdura/internals/sqlite/catalog.js";
import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { type Catalog, entryNamed } from "./catalog.ts";

/** The columns that every metrics table of every layout has (specification, section 2.5). */
export const COMMON_COLUMNS = ["user_id", "success", "response_time_ms", "timestamp"] as const;

/** Tables that recognition needs to know about, lower case. */
export const KNOWN_TABLES = [
  "interactions",
  "metrics",
  "metrics_new",
  "interaction_metadata",
  "patterns",
  "pattern_usage",
  "perdura_quarantine",
] as const;

/** What happens to a database of a layout. */
export type Treatment =
  /** The level column is renamed in place. */
  | "rename"
  /** Table and column are renamed, the metadata moves to its side table. */
  | "convert"
  /** Two metrics tables: the rows of the field layout join those of the documented one. */
  | "unite"
  /** Missing indexes at most. */
  | "keep"
  /** Not in this version; `sentence` says why. */
  | "refuse"
  /** No data of perdura. */
  | "leave";

/** One way in which a program wrote a metrics database. */
export interface Layout {
  name: string;
  title: string;
  treatment: Treatment;
  /** Where the rows of a field layout stand, when that is not `metrics`. */
  table?: string;
  /** Why a database of this layout is refused or left alone. */
  sentence?: string;
  matches: (catalog: Catalog) => boolean;
}

/** A table with levels under another name than a layout has: somebody renamed or copied it, or an upgrade was cut off. */
export interface LevelTable extends MetricsTable {
  level: string;
  /** True where `id` is the row id, so that no two rows have the same. */
  keyed: boolean;
  /** True where it has every column that a metrics table has, so that its rows are interactions. */
  whole: boolean;
}

/** Names of tables that the layouts know, and the beginning of those that perdura-migrate makes. */
const OTHERS = /^(?:interactions|metrics|perdura_.*|sqlite_.*)$/is;

/** The tables with `id`, `user_id` and a level (`empathy_level` or `level`) whose names no layout knows, as they were made. */
export function levelTables(database: Database, schema: "main" | "backup" = "main"): LevelTable[] {
  return tableNames(database, schema)
    .ordinary.filter((name) => !OTHERS.test(name))
    .flatMap((name) => describe(database, name, schema));
}

function describe(database: Database, name: string, schema: "main" | "backup"): LevelTable[] {
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
      keyed:
        columns.some(
          (column) => column.name.toLowerCase() === "id" && column.type.toUpperCase() === "INTEGER" && column.pk === 1,
        ) && columns.filter(({ pk }) => pk > 0).length === 1,
      whole: COMMON_COLUMNS.every((column) => find(column) !== null),
    },
  ];
}

/** Finds a table by its name as SQLite does: ASCII case makes no difference. */
export function levelTableNamed(tables: readonly LevelTable[], name: string): LevelTable | undefined {
  return tables.find((table) => isSameName(table.name, name));
}

export function isSameName(one: string, other: string): boolean {
  return lower(one) === lower(other);
}

const lower = (name: string): string => name.replace(/[A-Z]/g, (letter) => letter.toLowerCase());

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
