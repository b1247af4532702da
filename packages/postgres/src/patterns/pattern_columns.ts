import { PATTERN_FIELDS } from "@perdura/internals/validity/pattern_fields.js";
import type { SaveMode } from "@perdura/internals/patterns/save_result.js";
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

/** Fields that recording a use changes; see `Use`. */
export const USE: readonly Field[] = ["usage_count", "success_count", "failure_count", "last_used"];

/** Columns that are sent: those of a row, and the use that the library knew. */
const SENT = [
  ...PATTERN_FIELDS.map((field) => [field, field] as const),
  ...USE.map((field) => [`known_${field}`, field] as const),
];

/** Rows that are sent as one array per column; `place` is their order. */
export const ROWS: string = `unnest(${SENT.map(([, field], index) => `$${index + 1}::${typeOf(field)}[]`).join(", ")})
  WITH ORDINALITY AS given (${SENT.map(([name]) => name).join(", ")}, place)`;

/** Number of parameters of {@link ROWS}. */
export const ROW_PARAMETERS: number = SENT.length;

/** Adds what other programs have counted since the library and the table agreed; see `known_use.ts`. */
const count = (field: string): string =>
  `greatest(0, given.${field} + coalesce(kept.${field} - given.known_${field}, 0))`;

/** The time that only one of the programs changed, or else the later one. */
const LATER = `CASE
    WHEN given.known_usage_count IS NULL OR kept.last_used IS NOT DISTINCT FROM given.known_last_used THEN given.last_used
    WHEN given.last_used IS NOT DISTINCT FROM given.known_last_used THEN kept.last_used
    WHEN replace(kept.last_used, ' ', 'T') > replace(given.last_used, ' ', 'T') THEN kept.last_used
    ELSE given.last_used END`;

/** Values of the rows in the order of {@link COLUMNS}: of `given`, and of the stored row `kept` if there is one. */
export const VALUES: string = PATTERN_FIELDS.map((field) =>
  field === "last_used" ? LATER : USE.some((each) => each === field) ? count(field) : `given.${field}`,
).join(", ");

/** Columns that a save writes. */
export const COLUMNS: string = PATTERN_FIELDS.join(", ");

/** Assignments of an upsert to an existing row. They also remove stored text that was not JSON. */
export const CHANGES: string = PATTERN_FIELDS.slice(1)
  .flatMap((field) => [`${field} = excluded.${field}`, ...(typeOf(field) === "json" ? [`${field}_raw = NULL`] : [])])
  .join(", ");

/** Assignments that only add uses to an existing row. */
export const CHANGES_OF_USE: string = USE.map((field) => `${field} = excluded.${field}`).join(", ");

/** SQL that is true if `stored` lacks the row `given`, or differs from it in more than its use. */
export function isNotStored(stored: string, given: string): string {
  const own = PATTERN_FIELDS.slice(1).filter((field) => !USE.some((each) => each === field));
  const ofGiven = own.map((field) => (typeOf(field) === "json" ? `${given}.${field}::text` : `${given}.${field}`));
  return `(${stored}.id IS NULL OR (${own.map((field) => valueOf(field, stored)).join(", ")}) IS DISTINCT FROM (${ofGiven.join(", ")}))`;
}

/** Columns of a select, as text and numbers. */
export function selected(table: string): string {
  return PATTERN_FIELDS.map((field) => `${valueOf(field, table)} AS ${field}`).join(", ");
}

/** Columns to compare; of the mode `add`, only those of the use. The type `json` has no comparison, so its text is compared: a changed blank is a difference. */
export function compared(table: string, mode: SaveMode): string {
  const columns = (mode === "add" ? USE : PATTERN_FIELDS.slice(1)).map((field) => valueOf(field, table));
  return `(${columns.join(", ")})`;
}
