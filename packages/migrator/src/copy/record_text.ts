import type { Row } from "./row_values.ts";

/**
 * A row as PostgreSQL writes `ROW(…)` as text, which no other row is written as. Very small and very large real numbers
 * it writes in another way: where there are such, the texts differ though the rows are equal.
 */
export function recordText(row: Row): string {
  let text = "";
  let between = "(";
  for (const value of row) {
    text += `${between}${value === null ? "" : quoted(value)}`;
    between = ",";
  }
  return `${text})`;
}

function quoted(value: string): string {
  if (value !== "" && !SPECIAL.test(value)) return value;
  return `"${value.replaceAll(/["\\]/g, "$&$&")}"`;
}

/** Whitespace is that of ASCII. */
const SPECIAL = /["\\(),\t-\r ]/;
