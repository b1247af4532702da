/**
 * Required session settings, because statements or values depend on them. A role or a database may have other values.
 */
const SETTINGS = {
  // If off, a NULL in an array becomes the text "NULL".
  array_nulls: "on",
  // With values below 1, numbers are read with fewer digits than they have.
  extra_float_digits: "1",
  standard_conforming_strings: "on",
  transform_null_equals: "off",
  // With a stricter level, a single statement could fail because of a concurrent transaction.
  default_transaction_isolation: "read committed",
  // Citus cannot plan statements whose parameters are unknown.
  plan_cache_mode: "auto",
  // Functions of another schema could replace those of PostgreSQL.
  search_path: "pg_catalog",
} as const;

/** SQL that is true if the session has the required settings. */
export const HAS_SETTINGS: string = [
  ...Object.entries(SETTINGS)
    .filter(([name]) => name !== "search_path" && name !== "extra_float_digits")
    .map(([name, value]) => `current_setting('${name}') = '${value}'`),
  "current_setting('extra_float_digits')::integer >= 1",
  // PostgreSQL searches pg_catalog first unless the path names it.
  "position('pg_catalog' in current_setting('search_path')) = 0",
].join(" AND ");

/** SQL that applies the required settings to the session, or to the transaction. */
export function settingsStatement(scope: "SESSION" | "LOCAL"): string {
  return Object.entries(SETTINGS)
    .map(([name, value]) => `SET ${scope} ${name} = '${value}'`)
    .join("; ");
}
