import { existsSync, readFileSync, realpathSync, statSync } from "node:fs";
import { isAbsolute, relative } from "node:path";
import { violations } from "../values/schemas.ts";
import { AdapterFault } from "../protocol/channel.ts";
import type { DumpedDatabase } from "../protocol/messages.ts";
import { isTaggedNumber, tokenOf } from "../values/json_value.ts";
import type { TaggedNumber } from "../values/json_value.ts";
import { readStrictJson } from "../values/strict_json.ts";

/** The tables of one database; `schemas/table-dump.schema.json` is the authority, docs/table-dump.md explains it. */
export interface TableDump {
  /** Version of the format. */
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

/** Class of a column's type, which determines its values. */
export type TypeClass = "integer" | "real" | "boolean" | "text" | "json" | "timestamp" | "other";

export interface DumpedColumn {
  name: string;
  type: TypeClass;
  nullable: boolean;
  /**
   * Value of the column in a row that is inserted without it: the value at the time of the dump, or a different integer
   * each time.
   */
  default?: { gives: DumpedValue } | { generated: true };
}

export interface DumpedForeignKey {
  columns: string[];
  table: string;
  references: string[];
  /** Effect of the deletion of a row on rows that refer to it; without it they prevent the deletion. */
  on_delete?: "cascade" | "set-null";
}

export interface DumpedIndex {
  name: string;
  /** Null for an expression. */
  columns: (string | null)[];
  unique: boolean;
  /** True if it covers only some of the rows. */
  partial: boolean;
}

export type DumpedValue = null | boolean | number | string | TaggedNumber;

/**
 * Reads the dump that an adapter wrote in place of a database file.
 * @throws {AdapterFault} for a dump that is missing, outside of the case's directory, invalid or contradictory.
 */
export function readDump({ db_path: database, file }: DumpedDatabase, directory: string): TableDump {
  const breach = (what: string): AdapterFault =>
    new AdapterFault("protocol-error", `the dump of the tables of ${database} ${what}`);
  if (!existsSync(file) || !statSync(file).isFile()) throw breach(`does not exist: ${file}`);
  if (!liesIn(file, directory)) throw breach(`is outside the case's directory: ${file}`);
  const { value, problems } = readStrictJson(readFileSync(file));
  if (problems.length > 0) throw breach(`is not strict JSON: ${problems.join("; ")}`);
  const theirs = violations("table-dump", value);
  if (theirs.length > 0) throw breach(`is invalid: ${theirs.join("; ")}`);
  const dump = value as unknown as TableDump;
  const faults = inconsistencies(dump);
  if (faults.length > 0) throw breach(`is inconsistent: ${faults.slice(0, 3).join("; ")}`);
  return dump;
}

function liesIn(file: string, directory: string): boolean {
  const path = relative(realpathSync(directory), realpathSync(file));
  return path !== "" && !path.startsWith("..") && !isAbsolute(path);
}

const LOWEST = -(2n ** 63n);
const HIGHEST = 2n ** 63n - 1n;

/** Expected values of each class, in words. */
const WANTED: Record<TypeClass, string> = {
  integer: "a 64-bit integer",
  real: "a number",
  boolean: "true or false",
  text: "text",
  json: "text",
  timestamp: "text",
  other: "text, a number or a boolean",
};

/** Contradictions in a dump that a schema cannot express, each in words; an empty list for a consistent dump. */
export function inconsistencies({ tables }: TableDump): string[] {
  return [
    ...repeated(tables.map(({ name }) => name)).map((name) => `the table ${name} occurs twice`),
    ...tables.flatMap(ofTable),
  ];
}

function ofTable(table: DumpedTable): string[] {
  const columns = table.columns.map(({ name }) => name);
  const named = [
    ...(table.primary_key ?? []),
    ...table.unique.flat(),
    ...table.foreign_keys.flatMap((key) => key.columns),
    ...table.indexes.flatMap((index) => index.columns.filter((column) => column !== null)),
  ];
  return [
    ...repeated(columns).map((name) => `the column ${name} occurs twice`),
    ...named
      .filter((name) => !columns.includes(name))
      .map((name) => `a key or an index uses the missing column ${name}`),
    ...table.foreign_keys
      .filter((key) => key.columns.length !== key.references.length)
      .map(({ columns: from }) => `the foreign key of ${from.join(", ")} references another number of columns`),
    ...table.columns.flatMap(ofDefault),
    ...table.rows.flatMap((row, index) => ofRow(table, row).map((fault) => `row ${index + 1}: ${fault}`)),
  ].map((fault) => `${table.name}: ${fault}`);
}

function ofDefault({ name, type, default: given }: DumpedTable["columns"][number]): string[] {
  if (given === undefined) return [];
  if ("generated" in given) return type === "integer" ? [] : [`${name} is generated, but not an integer`];
  return given.gives === null || fits(type, given.gives) ? [] : [`the default of ${name} is not ${WANTED[type]}`];
}

function ofRow({ columns }: DumpedTable, row: readonly DumpedValue[]): string[] {
  if (row.length !== columns.length) return [`${row.length} values for ${columns.length} columns`];
  return columns.flatMap(({ name, type, nullable }, index) => {
    const value = row[index] as DumpedValue;
    if (value === null) return nullable ? [] : [`${name} is null`];
    return fits(type, value) ? [] : [`${name} is not ${WANTED[type]}: ${JSON.stringify(value)}`];
  });
}

function fits(type: TypeClass, value: DumpedValue): boolean {
  if (typeof value === "string") return value.isWellFormed() && ["text", "json", "timestamp", "other"].includes(type);
  if (typeof value === "boolean") return type === "boolean" || type === "other";
  if (type === "integer") return isWhole(value);
  return type === "real" || type === "other";
}

function isWhole(value: DumpedValue): boolean {
  if (typeof value === "number") return Number.isSafeInteger(value);
  if (!isTaggedNumber(value) || !/^[+-]?\d+$/.test(tokenOf(value))) return false;
  const whole = BigInt(tokenOf(value).replace(/^\+/, ""));
  return whole >= LOWEST && whole <= HIGHEST;
}

/** SQLite, in which the tables are rebuilt, compares names without regard to case. */
function repeated(names: readonly string[]): string[] {
  const lower = names.map((name) => name.toLowerCase());
  return names.filter((_, index) => lower.indexOf(lower[index] as string) !== index);
}
