import { isTaggedNumber, tokenOf } from "../values/json_value.ts";
import type { DumpedTable, DumpedValue, TableDump, TypeClass } from "./dump.ts";

const LOWEST = -(2n ** 63n);
const HIGHEST = 2n ** 63n - 1n;

/** What may stand in a column of each class, in words. */
const WANTED: Record<TypeClass, string> = {
  integer: "a whole number of 64 bits",
  real: "a number",
  boolean: "true or false",
  text: "text",
  json: "text",
  timestamp: "text",
  other: "text, a number or a truth value",
};

/** What a schema cannot say about a dump, each in words; an empty list for a dump that a database server can have given. */
export function contradictions({ tables }: TableDump): string[] {
  return [...repeated(tables.map(({ name }) => name)).map((name) => `two tables ${name}`), ...tables.flatMap(ofTable)];
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
    ...repeated(columns).map((name) => `two columns ${name}`),
    ...named.filter((name) => !columns.includes(name)).map((name) => `a key or an index of the missing column ${name}`),
    ...table.foreign_keys
      .filter((key) => key.columns.length !== key.references.length)
      .map(
        ({ columns: from }) => `the foreign key of ${from.join(", ")} has another number of columns where it points`,
      ),
    ...table.columns.flatMap(ofDefault),
    ...table.rows.flatMap((row, index) => ofRow(table, row).map((fault) => `row ${index + 1}: ${fault}`)),
  ].map((fault) => `${table.name}: ${fault}`);
}

function ofDefault({ name, type, default: given }: DumpedTable["columns"][number]): string[] {
  if (given === undefined) return [];
  if ("generated" in given) return type === "integer" ? [] : [`${name} is generated and no integer`];
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

/** SQLite, in which the tables are built again, compares names without regard to case. */
function repeated(names: readonly string[]): string[] {
  const lower = names.map((name) => name.toLowerCase());
  return names.filter((_, index) => lower.indexOf(lower[index] as string) !== index);
}
