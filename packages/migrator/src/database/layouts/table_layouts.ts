import type { InteractionColumns } from "@perdura/internals/validity/interaction_problems.js";

/** Programs that write a table of interactions, and what they do with the file. */
export interface Programs {
  /** The table that they write. */
  table: string;
  /** The columns that their statements name. */
  columns: readonly string[];
  /** A table that they build at their start to replace the other. */
  rebuilt?: string;
  /** The indexes that they make, with their columns. Version 16 needs others. */
  indexes: Readonly<Record<string, string>>;
}

/** A table of interactions in one layout; `metrics_table.ts` derives the rows of version 16 from it. */
export interface TableLayout {
  /** Name of the table, in lower case. */
  table: string;
  /**
   * The columns whose names differ from those of version 16, keyed by the latter, in lower case; null for a column that
   * the layout does not have. A column `metadata` may be absent, and becomes the side table.
   */
  columns: Readonly<Partial<Record<keyof InteractionColumns, string | null>>>;
  /** Columns that tables of this layout do not have, in addition to those that a column is renamed to. */
  without?: readonly string[];
  /** Programs that a view under their table's name makes fail after a migration; absent if they can read version 16's. */
  programs?: Programs;
}

/** Programs up to 14.x. Those of 15.0.0 and later drop the levels by building the table again. */
const METRICS_PROGRAMS: Programs = {
  table: "metrics",
  columns: ["id", "user_id", "empathy_level", "success", "response_time_ms", "timestamp", "metadata"],
  rebuilt: "metrics_new",
  indexes: { idx_user_level: "user_id,empathy_level", idx_user: "user_id", idx_timestamp: "timestamp" },
};

/** The pre-16 layout of the specification. */
export const DOCUMENTED_15: TableLayout = {
  table: "interactions",
  columns: { level: "empathy_level", metadata: null },
};

/** The target (specification, section 2.5). */
export const DOCUMENTED_16: TableLayout = {
  table: "interactions",
  columns: { metadata: null },
  without: ["empathy_level"],
};

/** The table of programs up to 14.x. A program that stored no metadata left their column out. */
export const METRICS: TableLayout = {
  table: "metrics",
  columns: { level: "empathy_level" },
  programs: METRICS_PROGRAMS,
};

/** The table of programs of 15.0.0 and later, whose levels were lost or never existed. */
export const METRICS_WITHOUT_LEVELS: TableLayout = {
  table: "metrics",
  columns: { level: null },
  without: ["empathy_level"],
  programs: METRICS_PROGRAMS,
};

/** The table that such a program builds, and renames at the end. */
export const METRICS_REBUILT: TableLayout = { ...METRICS_WITHOUT_LEVELS, table: "metrics_new" };

/**
 * All of them; of those with one name, the first is the one that a table is compared with that matches none. What follows
 * from the list is computed where it is needed, so that tests can add layouts which no program writes.
 */
export const TABLE_LAYOUTS: readonly TableLayout[] = [
  DOCUMENTED_15,
  DOCUMENTED_16,
  METRICS,
  METRICS_WITHOUT_LEVELS,
  METRICS_REBUILT,
];

/** Name of a column in a layout; null if it has none. */
export function columnIn({ columns }: TableLayout, column: keyof InteractionColumns): string | null {
  return columns[column] === undefined ? column : columns[column];
}

/** Columns by which a table of the layout is recognised, without that of the levels. */
export function commonColumns(layout: TableLayout): string[] {
  return (["user_id", "success", "response_time_ms", "timestamp"] as const).flatMap((column) => {
    const name = columnIn(layout, column);
    return name === null ? [] : [name];
  });
}

/** Names of the tables that have levels in some layout. */
export function metricsTables(): string[] {
  return [...new Set(TABLE_LAYOUTS.filter((layout) => columnIn(layout, "level") !== null).map(({ table }) => table))];
}

/** Names that the level has in some layout. */
export function levelColumns(): string[] {
  return [...new Set(TABLE_LAYOUTS.map((layout) => columnIn(layout, "level")).filter((name) => name !== null))];
}

/** Tables that determine the layout of a database, in lower case. */
export function knownTables(): string[] {
  return [
    ...new Set(TABLE_LAYOUTS.flatMap(({ table, programs }) => [table, programs?.rebuilt ?? table])),
    "interaction_metadata",
    "patterns",
    "pattern_usage",
    "perdura_quarantine",
  ];
}
