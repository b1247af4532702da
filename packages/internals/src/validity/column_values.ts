import type { Affinity, ValueKind } from "./column_types.ts";

/**
 * SQL for the value that a column holds once it has its specified type: the same number, or the text of an integer.
 * Other values stay unchanged; `interaction_problems.ts` reports those that version 16 cannot hold.
 *
 * @param value SQL for the stored value.
 */
export function convertedValue(kind: ValueKind, value: string): string {
  // A number that is not an integer has several texts ('1.5', '1.50'), so it stays a number, and is reported.
  if (kind === "text")
    return `CASE WHEN typeof(${value}) = 'integer' THEN CAST(${value} AS TEXT) WHEN ${isExactInteger(value)} THEN CAST(CAST(${value} AS INTEGER) AS TEXT) ELSE ${value} END`;
  const number = numberOf(value);
  if (kind === "real") return `CASE WHEN typeof(${number}) = 'integer' THEN CAST(${number} AS REAL) ELSE ${number} END`;
  return integral(number);
}

/** SQL that is true for a REAL that equals one integer only. */
const isExactInteger = (value: string): string =>
  `typeof(${value}) = 'real' AND abs(${value}) < 9007199254740992.0 AND ${value} = CAST(${value} AS INTEGER)`;

/** SQL for the number of a text that SQLite itself would store as a number in a numeric column; else the value. */
const numberOf = (value: string): string =>
  // The comparison converts the text as a numeric column would: completely, or not at all.
  `iif(typeof(${value}) = 'text' AND ${value} = CAST(${value} AS NUMERIC), CAST(${value} AS NUMERIC), ${value})`;

/** SQL for the integer that equals a REAL; else the value. A numeric column stores the same numbers as integers. */
const integral = (value: string): string =>
  `CASE WHEN typeof(${value}) = 'real' AND ${value} BETWEEN -9223372036854774784.0 AND 9223372036854774784.0 AND ${value} = CAST(${value} AS INTEGER) THEN CAST(${value} AS INTEGER) ELSE ${value} END`;

/**
 * SQL for the value that a column of another affinity holds for a value of version 16: what SQLite stores there, but a
 * number in a TEXT column with as many digits as it needs.
 *
 * @param value SQL for the value of version 16.
 */
export function formerValue(affinity: Affinity, value: string): string {
  if (affinity === "BLOB") return value;
  if (affinity === "TEXT")
    return `CASE typeof(${value}) WHEN 'integer' THEN CAST(${value} AS TEXT) WHEN 'real' THEN iif(CAST(CAST(${value} AS TEXT) AS REAL) = ${value}, CAST(${value} AS TEXT), printf('%!.17g', ${value})) ELSE ${value} END`;
  const number = numberOf(value);
  if (affinity === "REAL")
    return `CASE WHEN typeof(${number}) = 'integer' THEN CAST(${number} AS REAL) ELSE ${number} END`;
  return integral(number);
}
