import { NO_VALUE } from "@perdura/internals/metrics/breakdown/value_names.js";

/** SQL that is true for JSON numbers that PostgreSQL can calculate with: a `numeric` has 131,072 digits. */
const isNumber = (value: string): string =>
  String.raw`length(${value}) <= 1000 AND ${value} ~ '^-?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]{1,4})?$'`;

/** SQL that is true for numbers whose name has all digits. */
const isNamedByDigits = (value: string): string =>
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
      WHEN 'number' THEN 'number:' || CASE WHEN ${isNamedByDigits(text)} THEN trim_scale(${text}::numeric)::text ELSE ${text} END
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

/** Numbers from which on a double is infinite, and up to which it is 0. PostgreSQL refuses to convert them. */
const [INFINITE, ZERO] = ["1.797693134862315807e308", "2.4703282292062328e-324"];

/**
 * SQL for the double that a JSON number is, as SQLite and JavaScript read it; null for other values.
 *
 * @param value SQL for the JSON value; null without the key.
 */
export function doubleOf(value: string): string {
  // Nearly all numbers are ordinary, and are found by a quick check. A subquery would prevent parallel plans.
  const [text, number] = [`(${value})::text`, numberOf(`(${value})`)];
  return `CASE WHEN ltrim(${text}, '-0123456789.') = '' AND length(${text}) <= 300 THEN ${text}::double precision
      WHEN abs(${number}) > ${INFINITE} THEN sign(${number}) * 'Infinity'::double precision
      WHEN abs(${number}) <= ${ZERO} THEN 0 ELSE ${number}::double precision END`;
}
