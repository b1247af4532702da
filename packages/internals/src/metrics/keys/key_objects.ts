/**
 * Declared keys whose sums are kept. The id of a key is never used again, so that sums with another id are left over
 * from before. `numbers` are the keys of the numbers that the sums have, as a JSON array. Rows up to `watermark` are in
 * the sums; it is never higher than that of all sums. `is_summed` is 0 if the key has too many values for sums.
 */
const KEYS_TABLE = `CREATE TABLE perdura_summed_keys (
    key_id INTEGER PRIMARY KEY,
    key TEXT NOT NULL,
    numbers TEXT NOT NULL,
    watermark INTEGER NOT NULL,
    is_summed INTEGER NOT NULL
)`;

/** The values of keys by their names in SQL (see `value_names.ts`), with the number of folded interactions. */
const VALUES_TABLE = `CREATE TABLE perdura_key_values (
    value_id INTEGER PRIMARY KEY,
    key_id INTEGER NOT NULL,
    name TEXT NOT NULL,
    operations INTEGER NOT NULL,
    UNIQUE (key_id, name)
)`;

/**
 * Sums of the interactions of a user on a day, UTC; the day is empty for rows without a readable time. `sums` is a JSON
 * array with an array for each value, which begins with the id of the value; the rest is that of `value_sums.ts`. The
 * days come first, because rows that are folded together are mostly of one day; those of a user are in `perdura_user_days`.
 */
const USER_DAYS_TABLE = `CREATE TABLE perdura_user_key_days (
    key_id INTEGER NOT NULL,
    day TEXT NOT NULL,
    user_id TEXT NOT NULL,
    sums TEXT NOT NULL,
    PRIMARY KEY (key_id, day, user_id)
) WITHOUT ROWID`;

/** Sums of the interactions of all users on a day that have one value, as `value_sums.ts` stores them. */
const DAYS_TABLE = `CREATE TABLE perdura_value_days (
    key_id INTEGER NOT NULL,
    day TEXT NOT NULL,
    value_id INTEGER NOT NULL,
    sums TEXT NOT NULL,
    PRIMARY KEY (key_id, day, value_id)
) WITHOUT ROWID`;

/**
 * SQL for the sums of a user under a key, by day: one search for each day of the user. The user is not stale, or the
 * former sums are still there.
 *
 * @param user SQL for the user.
 */
export function sumsOfUser(key: number, user: string): string {
  return `SELECT sums.day AS day, sums FROM (SELECT day, user_id FROM perdura_user_days WHERE user_id = ${user}
      UNION ALL SELECT '', ${user}) AS days
    CROSS JOIN perdura_user_key_days AS sums ON key_id = ${key} AND sums.day = days.day AND sums.user_id = days.user_id`;
}

/** SQL that is true for the id of an interaction that is in the sums of a key. */
const isInSums = (id: string): string => `${id} <= (SELECT max(watermark) FROM perdura_summed_keys)`;

const userOf = (id: string): string => `SELECT user_id FROM interactions WHERE id = ${id}`;

/** The tables of the sums by value, in the order of creation. */
export const KEY_TABLES: readonly [name: string, sql: string][] = [
  ["perdura_summed_keys", KEYS_TABLE],
  ["perdura_key_values", VALUES_TABLE],
  ["perdura_user_key_days", USER_DAYS_TABLE],
  ["perdura_value_days", DAYS_TABLE],
];

/**
 * The triggers that mark the user of an interaction whose metadata change. Where an interaction is deleted or replaced
 * together with its metadata, the triggers of `interactions` have marked the user.
 *
 * @param markStale SQL that marks the users that a query finds.
 */
export function metadataTriggers(markStale: (users: string) => string): [name: string, sql: string][] {
  const trigger = (change: "INSERT" | "UPDATE" | "DELETE", ids: readonly string[]): [string, string] => {
    const name = `perdura_rollup_metadata_${change.toLowerCase()}`;
    return [
      name,
      `CREATE TRIGGER ${name} AFTER ${change} ON interaction_metadata
    WHEN ${ids.map(isInSums).join(" OR ")} BEGIN
    ${markStale(ids.map(userOf).join(" UNION "))}
END`,
    ];
  };
  return [
    trigger("INSERT", ["NEW.interaction_id"]),
    trigger("UPDATE", ["OLD.interaction_id", "NEW.interaction_id"]),
    trigger("DELETE", ["OLD.interaction_id"]),
  ];
}
