/**
 * The time in the form of SQLite's `CURRENT_TIMESTAMP`: UTC, to the second, without a time zone. It is text, because
 * drivers read a `timestamp` as local time, in which one hour of each year does not exist.
 */
export const NOW = "to_char(statement_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS')";

/**
 * A JSON column, and a second column for text of other programs that PostgreSQL does not accept as JSON: with `NaN`, or
 * nested too deeply for the server's stack. The JSON column is then `null`.
 */
export function jsonColumns(name: string, constraint = ""): string {
  return `${name} json${constraint}, ${name}_raw text`;
}

/** SQL for the text of a JSON column and its second column. */
export function jsonText(name: string, table: string): string {
  return `coalesce(${table}.${name}_raw, ${table}.${name}::text)`;
}
