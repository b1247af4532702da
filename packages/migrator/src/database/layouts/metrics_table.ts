import { type OtherType, otherTypes } from "@perdura/internals/validity/column_types.js";
import { convertedValue } from "@perdura/internals/validity/column_values.js";
import type { InteractionColumns } from "@perdura/internals/validity/interaction_problems.js";
import { type Catalog, entryNamed } from "../sql/catalog.ts";
import type { TableLayout } from "./table_layouts.ts";

/** The table of interactions in version 16, and that of their metadata. */
export const INTERACTIONS = "interactions";
export const SIDE_TABLE = "interaction_metadata";

/**
 * A table with interactions in its present form. The functions below say how its rows become those of version 16, and
 * how they return: every step, proof and comparison uses them.
 */
export interface MetricsTable {
  /** As spelled in the file. */
  name: string;
  /** All columns, in order, as spelled in the file. */
  columns: string[];
  /** The columns that version 16 has as well. Every layout calls the id `id`. */
  names: InteractionColumns;
  /** True if the side table `interaction_metadata` exists. */
  sideTable: boolean;
  /** Columns whose declared types change what version 16 writes; the migration gives them the specified types. */
  otherTypes: OtherType[];
}

/** Describes the table of a layout. */
export function describeTable(catalog: Catalog, { table, columns: renamed }: TableLayout): MetricsTable {
  const listed = catalog.columns.get(table) ?? [];
  const columns = listed.map((column) => column.name);
  const entry = entryNamed(catalog, table, "table");
  const names = namesOf(columns, renamed);
  return {
    name: entry?.name ?? table,
    columns,
    names,
    sideTable: catalog.columns.has(SIDE_TABLE),
    otherTypes: otherTypes("interactions", listed, entry?.sql ?? "", (column) => nameOf(names, column).toLowerCase()),
  };
}

/**
 * Finds the columns of a table under the names of a layout, ignoring case like SQLite.
 *
 * @returns An empty name for a required column that the table lacks.
 */
export function namesOf(columns: readonly string[], renamed: TableLayout["columns"]): InteractionColumns {
  const find = (column: keyof InteractionColumns): string | null => {
    const wanted = renamed[column] === undefined ? column : renamed[column];
    return columns.find((name) => name.toLowerCase() === wanted) ?? null;
  };
  return {
    user_id: find("user_id") ?? "",
    level: find("level"),
    success: find("success") ?? "",
    response_time_ms: find("response_time_ms") ?? "",
    timestamp: find("timestamp") ?? "",
    metadata: find("metadata"),
  };
}

function nameOf(names: InteractionColumns, column: string): string {
  return Object.entries(names).find(([, name]) => name === column)?.[0] ?? column;
}

/** A column whose values stay in the row. */
export interface KeptColumn {
  name: string;
  /** Its name in version 16: another one, or the same. */
  to: string;
  /** Its other type, if its values are converted. */
  type: OtherType | undefined;
}

/** The columns whose values stay in the row, in order: all but that of the metadata. */
export function keptColumns({ columns, names, otherTypes: types }: MetricsTable): KeptColumn[] {
  return columns
    .filter((name) => name !== names.metadata)
    .map((name) => ({ name, to: nameOf(names, name), type: types.find(({ column }) => column === name) }));
}

/** The columns that have another name in version 16. */
export function renamedColumns(table: MetricsTable): KeptColumn[] {
  return keptColumns(table).filter(({ name, to }) => name.toLowerCase() !== to.toLowerCase());
}

/** True if the table has another name in version 16. */
export function isRenamed({ name }: MetricsTable): boolean {
  return name.toLowerCase() !== INTERACTIONS;
}

/** The kept columns of two tables that are the same column of version 16; those of the first without one are left out. */
export function columnPairs(one: MetricsTable, other: MetricsTable): [one: string, other: string][] {
  const others = new Map(keptColumns(other).map(({ name, to }) => [to.toLowerCase(), name]));
  return keptColumns(one).flatMap(({ name, to }) => {
    const found = others.get(to.toLowerCase());
    return found === undefined ? [] : [[name, found] as [string, string]];
  });
}

/** True if one of the tables has lost its levels. */
export function lacksLevels(...tables: readonly (MetricsTable | null)[]): boolean {
  return tables.some((table) => table?.names.level === null);
}

/** SQL for the value of version 16 of a stored value. */
export function valueIn16({ type }: KeptColumn, value: string): string {
  return type === undefined ? value : convertedValue(type.kind, value);
}

/** A table of version 16, in which all columns have their names. */
export const TABLE_16: Pick<MetricsTable, "name" | "names"> = {
  name: INTERACTIONS,
  names: namesOf(["user_id", "level", "success", "response_time_ms", "timestamp"], {}),
};
