import { PATTERN_FIELDS } from "@perdura/internals/patterns/pattern.js";
import { jsonText } from "../layout/column_types.ts";

type Field = (typeof PATTERN_FIELDS)[number];

/** Types of the columns that are not text. */
const TYPES: Partial<Record<Field, string>> = {
  context: "json",
  tags: "json",
  confidence: "double precision",
  usage_count: "bigint",
  success_count: "bigint",
  failure_count: "bigint",
};

const typeOf = (field: Field): string => TYPES[field] ?? "text";

/** SQL for the value of a column; for JSON, its text. */
const valueOf = (field: Field, table: string): string =>
  typeOf(field) === "json" ? jsonText(field, table) : `${table}.${field}`;

/** Rows that are sent as one array per column; `place` is their order. */
export const ROWS: string = `unnest(${PATTERN_FIELDS.map((field, index) => `$${index + 1}::${typeOf(field)}[]`).join(", ")})
  WITH ORDINALITY AS given (${PATTERN_FIELDS.join(", ")}, place)`;

/** Columns that a save writes. */
export const COLUMNS: string = PATTERN_FIELDS.join(", ");

/** Assignments of an upsert to an existing row. They also remove stored text that was not JSON. */
export const CHANGES: string = PATTERN_FIELDS.slice(1)
  .flatMap((field) => [`${field} = excluded.${field}`, ...(typeOf(field) === "json" ? [`${field}_raw = NULL`] : [])])
  .join(", ");

/** Columns of a select, as text and numbers. */
export function selected(table: string): string {
  return PATTERN_FIELDS.map((field) => `${valueOf(field, table)} AS ${field}`).join(", ");
}

/** Columns to compare. The type `json` has no comparison, so its text is compared: a changed blank is a difference. */
export function compared(table: string): string {
  const columns = PATTERN_FIELDS.slice(1).map((field) => valueOf(field, table));
  return `(${columns.join(", ")})`;
}
