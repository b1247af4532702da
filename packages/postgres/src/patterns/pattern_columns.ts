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

/** The value of a column; JSON as its text. */
const valueOf = (field: Field, table: string): string =>
  typeOf(field) === "json" ? jsonText(field, table) : `${table}.${field}`;

/** Rows that come as one array for each column; `place` is their order. */
export const ROWS: string = `unnest(${PATTERN_FIELDS.map((field, index) => `$${index + 1}::${typeOf(field)}[]`).join(", ")})
  WITH ORDINALITY AS given (${PATTERN_FIELDS.join(", ")}, place)`;

/** Columns that are written. */
export const COLUMNS: string = PATTERN_FIELDS.join(", ");

/** Columns that an upsert changes in an existing row; text that was not JSON is replaced, too. */
export const CHANGES: string = PATTERN_FIELDS.slice(1)
  .flatMap((field) => [`${field} = excluded.${field}`, ...(typeOf(field) === "json" ? [`${field}_raw = NULL`] : [])])
  .join(", ");

/** Columns for a select, as the texts and numbers that they hold. */
export function selected(table: string): string {
  return PATTERN_FIELDS.map((field) => `${valueOf(field, table)} AS ${field}`).join(", ");
}

/** JSON has no comparison of its own; as text, a change of a blank is a change. */
export function compared(table: string): string {
  const columns = PATTERN_FIELDS.slice(1).map((field) => valueOf(field, table));
  return `(${columns.join(", ")})`;
}
