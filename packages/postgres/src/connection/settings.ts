/**
 * Settings of a session that change what statements mean or what values become, with the value that is needed. A role or a
 * database may have others.
 */
const NEEDED = {
  // Without it a NULL in an array becomes the text "NULL".
  array_nulls: "on",
  // Below 1, numbers are read with fewer digits than they have.
  extra_float_digits: "1",
  standard_conforming_strings: "on",
  transform_null_equals: "off",
  // A statement alone would be refused where another one is at work.
  default_transaction_isolation: "read committed",
  // Functions of another schema could stand in for those of PostgreSQL.
  search_path: "pg_catalog",
} as const;

/** SQL that is true where the session has what is needed. */
export const HAS_NEEDED: string = [
  ...Object.entries(NEEDED)
    .filter(([name]) => name !== "search_path" && name !== "extra_float_digits")
    .map(([name, value]) => `current_setting('${name}') = '${value}'`),
  "current_setting('extra_float_digits')::integer >= 1",
  // PostgreSQL looks there first unless the path says otherwise.
  "position('pg_catalog' in current_setting('search_path')) = 0",
].join(" AND ");

/** Sets what is needed for the session, or for the transaction. */
export function setNeeded(scope: "SESSION" | "LOCAL"): string {
  return Object.entries(NEEDED)
    .map(([name, value]) => `SET ${scope} ${name} = '${value}'`)
    .join("; ");
}
