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

/** Escapes that PostgreSQL's functions refuse: of NUL, and of surrogates that are alone. */
const REFUSED_ESCAPES = String.raw`\\u0000|\\u[dD][89abAB]..(?!\\u[dD][c-fC-F])|(?<!\\u[dD][89abAB]..)\\u[dD][c-fC-F]`;

/**
 * SQL for the metadata in which keys are looked up; null for text that PostgreSQL's functions refuse: text that is not
 * JSON, and {@link REFUSED_ESCAPES}.
 */
export function readableMetadata(table: string): string {
  const text = `${table}.metadata::text`;
  // A backslash that is escaped begins no escape.
  return String.raw`CASE WHEN ${table}.metadata_raw IS NULL AND (strpos(${text}, '\u') = 0
              OR replace(${text}, '\\', '') !~ '${REFUSED_ESCAPES}') THEN ${table}.metadata END`;
}
