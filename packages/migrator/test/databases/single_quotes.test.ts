import { expect, test } from "vitest";
import { inSingleQuotes } from "../../src/database/sql/sql_text.ts";

const fault = (name: string): string => `no such column: "${name}" - should this be a string literal in single-quotes?`;

test.each([
  ['SELECT "t" FROM a', "SELECT 't' FROM a"],
  ['SELECT "it""s" FROM a', "SELECT 'it\"s' FROM a", 'it"s'],
  // A certain name stays a name, whatever is between its parts.
  ['SELECT "t" AS "t" FROM a', `SELECT 't' AS "t" FROM a`],
  ['SELECT "t" as /* x */ "t" FROM a', `SELECT 't' as /* x */ "t" FROM a`],
  ['SELECT "t", "t".x, a."t" FROM a', `SELECT 't', "t".x, a."t" FROM a`],
  ['SELECT "t", "t" . x, a . "t" FROM a', `SELECT 't', "t" . x, a . "t" FROM a`],
  ['SELECT "t", "t" (1) FROM a', `SELECT 't', "t" (1) FROM a`],
  ['"t"', "'t'"],
])("%s", (sql, expected, name = "t") => {
  expect(inSingleQuotes(sql, fault(name), () => true)).toBe(expected);
});

test("changes all places if no column has that name, and none otherwise", () => {
  const sql = 'SELECT "t" FROM a WHERE b = "t"';
  expect(inSingleQuotes(sql, fault("t"), () => false)).toBe("SELECT 't' FROM a WHERE b = 't'");
  expect(inSingleQuotes(sql, fault("t"), (name) => name === "t")).toBeUndefined();
});

test("returns undefined for another fault or an unused name", () => {
  expect(inSingleQuotes('SELECT "t" FROM a', "no such table: a", () => false)).toBeUndefined();
  expect(inSingleQuotes('SELECT "u" FROM a', fault("t"), () => false)).toBeUndefined();
  expect(inSingleQuotes('SELECT a AS "t"', fault("t"), () => false)).toBeUndefined();
});
