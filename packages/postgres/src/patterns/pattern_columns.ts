import { PATTERN_FIELDS } from "@perdura/internals/patterns/pattern.js";

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

/** Rows that come as one array for each column; `place` is their order. */
export const ROWS: string = `unnest(${PATTERN_FIELDS.map((field, index) => `$${index + 1}::${typeOf(field)}[]`).join(", ")})
  WITH ORDINALITY AS given (${PATTERN_FIELDS.join(", ")}, place)`;

/** Columns for a select, as the texts and numbers that they hold. */
export const COLUMNS: string = PATTERN_FIELDS.join(", ");

/** JSON has no comparison of its own; as text, a change of a blank is a change. */
export function compared(table: string): string {
  const columns = PATTERN_FIELDS.slice(1).map((field) => `${table}.${field}${TYPES[field] === "json" ? "::text" : ""}`);
  return `(${columns.join(", ")})`;
}
