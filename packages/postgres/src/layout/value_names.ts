import { NO_VALUE } from "@perdura/internals/metrics/breakdown/value_names.js";

/** SQL that is true for JSON numbers that PostgreSQL can calculate with. */
const isNumber = (value: string): string =>
  String.raw`length(${value}) <= 300 AND ${value} ~ '^-?[0-9]+(\.[0-9]+)?([eE][-+]?([0-9]{1,2}|[12][0-9]{2}))?$'`;

/** SQL for the text of a JSON value, without quotation marks. */
const textOf = (value: string): string => `(${value} #>> '{}')`;

/**
 * SQL for the name of a value under a key; see `value_names.ts` of internals.
 *
 * @param value SQL for the JSON value; null without the key.
 */
export function nameOf(value: string): string {
  const text = textOf(value);
  return `coalesce(CASE json_typeof(${value})
      WHEN 'string' THEN 'text:' || ${text} WHEN 'boolean' THEN ${text} || ':' WHEN 'null' THEN '${NO_VALUE}'
      WHEN 'number' THEN 'number:' || CASE WHEN ${isNumber(text)} THEN trim_scale(${text}::numeric)::text ELSE ${text} END
      ELSE 'json:' || ${value}::text END, '${NO_VALUE}')`;
}

/** Longest name in the sums, in bytes: it is in the index of sums, together with the id of a user. */
const LONGEST_NAME = 200;

/** SQL that is true for a name in whose place the sums have a digest. */
export const isLong = (name: string): string => `octet_length(${name}) > ${LONGEST_NAME}`;

/** SQL for a name in the sums. */
export const storedName = (name: string): string =>
  `CASE WHEN ${isLong(name)} THEN 'long:' || encode(sha256(convert_to(${name}, getdatabaseencoding())), 'hex') ELSE ${name} END`;

/** SQL for the number that a JSON value is; null for other values. */
export function numberOf(value: string): string {
  const text = textOf(value);
  return `CASE WHEN json_typeof(${value}) = 'number' AND ${isNumber(text)} THEN ${text}::numeric END`;
}
