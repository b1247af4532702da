import { sqlName } from "../text/quoted_sql.ts";
import type { OtherType } from "./column_types.ts";
import { convertedValue } from "./column_values.ts";
import { isNotUtf8 } from "./utf8_text.ts";

/** Names of the columns of a table, as spelled in the file, keyed by those of version 16. */
export interface InteractionColumns {
  user_id: string;
  /** null if the levels are lost. */
  level: string | null;
  success: string;
  response_time_ms: string;
  timestamp: string;
  /** null if the metadata have a table of their own, or do not exist. */
  metadata: string | null;
}

/** A table with rows of section 2.5, in the form that it has. */
export interface InteractionsTable {
  names: InteractionColumns;
  /** Columns whose declared types change what version 16 writes. */
  otherTypes: readonly OtherType[];
}

/** A kind of unusual or invalid rows. */
export interface RowProblem {
  kind: string;
  description: string;
  /** True if the layout of version 16 cannot hold such a row. */
  blocks: boolean;
  /** The column whose values are shown. */
  column: string;
  /** SQL that is true for such a row. */
  condition: string;
}

/**
 * The kinds of rows that do not conform to section 2.5. Unusual values that version 16 can hold are counted and kept
 * unchanged; values that it cannot hold block a migration.
 */
export function interactionProblems(table: InteractionsTable): RowProblem[] {
  const { names } = table;
  const { level, metadata } = names;
  const [user, stored, timestamp] = [sqlName(names.user_id), sqlName(names.success), sqlName(names.timestamp)];
  const [success, time] = [valueOf(table, names.success), valueOf(table, names.response_time_ms)];
  return [
    ...(level === null ? [] : levelChecks(level, valueOf(table, level))),
    {
      kind: "user_id_not_text",
      description: "the user id is not text",
      blocks: true,
      column: names.user_id,
      condition: `typeof(${valueOf(table, names.user_id)}) <> 'text'`,
    },
    {
      kind: "user_id_not_utf8",
      description: "the user id is not UTF-8 text",
      blocks: true,
      column: names.user_id,
      condition: isNotUtf8(user),
    },
    {
      kind: "success_null",
      description: "success is NULL",
      blocks: true,
      column: names.success,
      condition: `${stored} IS NULL`,
    },
    {
      kind: "response_time_not_a_number",
      description: "the response time is not a number",
      blocks: true,
      column: names.response_time_ms,
      condition: `typeof(${time}) IN ('text', 'blob')`,
    },
    ...(metadata === null ? [] : [metadataIsNumber(metadata)]),
    {
      kind: "response_time_negative",
      description: "the response time is negative",
      blocks: false,
      column: names.response_time_ms,
      condition: `${number(time)} AND ${time} < 0`,
    },
    {
      kind: "response_time_infinite",
      description: "the response time is infinite",
      blocks: false,
      column: names.response_time_ms,
      condition: `typeof(${time}) = 'real' AND abs(${time}) > 1.7976931348623157e308`,
    },
    {
      kind: "success_not_0_or_1",
      description: "success is neither 0 nor 1",
      blocks: false,
      column: names.success,
      condition: `${stored} IS NOT NULL AND NOT (typeof(${success}) = 'integer' AND ${success} IN (0, 1))`,
    },
    {
      kind: "user_id_empty",
      description: "the user id is empty",
      blocks: false,
      column: names.user_id,
      condition: `${user} = ''`,
    },
    {
      kind: "user_id_with_nul",
      description: "the user id contains a NUL character",
      blocks: false,
      column: names.user_id,
      condition: `instr(${user}, char(0)) > 0`,
    },
    {
      kind: "timestamp_null",
      description: "the timestamp is NULL",
      blocks: false,
      column: names.timestamp,
      condition: `${timestamp} IS NULL`,
    },
    {
      kind: "timestamp_not_text",
      description: "the timestamp is not text",
      blocks: false,
      column: names.timestamp,
      condition: `typeof(${timestamp}) NOT IN ('text', 'null')`,
    },
  ];
}

/** SQL for the value that a column has in version 16. */
function valueOf({ otherTypes }: InteractionsTable, column: string): string {
  const other = otherTypes.find((type) => type.column.toLowerCase() === column.toLowerCase());
  return other === undefined ? sqlName(column) : convertedValue(other.kind, sqlName(column));
}

const levelChecks = (column: string, value: string): RowProblem[] => [
  {
    kind: "level_not_an_integer",
    description: "the level is not an integer",
    blocks: true,
    column,
    condition: `typeof(${value}) <> 'integer'`,
  },
  {
    kind: "level_out_of_range",
    description: "the level is outside 1 to 5",
    blocks: true,
    column,
    condition: `typeof(${value}) = 'integer' AND ${value} NOT BETWEEN 1 AND 5`,
  },
];

/** A column of another type than TEXT stores numbers; the side table would convert them to text. */
const metadataIsNumber = (column: string): RowProblem => ({
  kind: "metadata_not_text",
  description: "the metadata is a number",
  blocks: true,
  column,
  condition: number(sqlName(column)),
});

const number = (column: string): string => `typeof(${column}) IN ('integer', 'real')`;

/** SQL that is true for a row that version 16 cannot hold. */
export function blockingCondition(table: InteractionsTable): string {
  return interactionProblems(table)
    .filter(({ blocks }) => blocks)
    .map(({ condition }) => `(${condition})`)
    .join(" OR ");
}
