/**
 * The time as SQLite's `CURRENT_TIMESTAMP` writes it: UTC, to the second, without a zone. As text, since drivers read a
 * `timestamp` as local time, which does not exist for an hour in each year.
 */
export const NOW = "to_char(statement_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS')";

/**
 * A JSON column, and a second column for text of other programs that PostgreSQL does not accept as JSON: with `NaN`, or nested
 * too deeply for the server's stack. For such text the JSON column holds `null`.
 */
export function jsonColumns(name: string, constraint = ""): string {
  return `${name} json${constraint}, ${name}_raw text`;
}

/** The text of such a column, whatever it is. */
export function jsonText(name: string, table: string): string {
  return `coalesce(${table}.${name}_raw, ${table}.${name}::text)`;
}
