/**
 * The time as SQLite's `CURRENT_TIMESTAMP` writes it: UTC, to the second, without a zone. As text, since drivers read a
 * `timestamp` as local time, which does not exist for an hour in each year.
 */
export const NOW = "to_char(statement_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS')";
