import type { TaggedNumber } from "../values/json_value.ts";

/** The tables of one database; `schemas/table-dump.schema.json` is the authority, docs/table-dump.md explains it. */
export interface TableDump {
  /** The version of the form. */
  table_dump: 1;
  tables: DumpedTable[];
}

export interface DumpedTable {
  name: string;
  columns: DumpedColumn[];
  primary_key?: string[];
  /** Further keys. */
  unique: string[][];
  foreign_keys: DumpedForeignKey[];
  indexes: DumpedIndex[];
  rows: DumpedValue[][];
}

/** The class of a column's type: what may stand in it. */
export type TypeClass = "integer" | "real" | "boolean" | "text" | "json" | "timestamp" | "other";

export interface DumpedColumn {
  name: string;
  type: TypeClass;
  nullable: boolean;
  /** What a row gets that is inserted without the column: a value as it was at the moment of the dump, or another integer each time. */
  default?: { gives: DumpedValue } | { generated: true };
}

export interface DumpedForeignKey {
  columns: string[];
  table: string;
  references: string[];
  /** What becomes of rows that point at a row that is deleted; without it they keep it from being deleted. */
  on_delete?: "cascade" | "set-null";
}

export interface DumpedIndex {
  name: string;
  /** Null for an expression. */
  columns: (string | null)[];
  unique: boolean;
  /** It holds some of the rows only. */
  partial: boolean;
}

export type DumpedValue = null | boolean | number | string | TaggedNumber;
