import type { Database } from "../../sqlite/open_database.ts";

/** Tables with sums, and the rest of their primary keys. */
const SUMS_TABLES: readonly [table: string, place: string][] = [
  ["perdura_user_key_days", "day, user_id"],
  ["perdura_value_days", "day, value_id"],
  ["perdura_key_values", "value_id"],
];

/** An id that no sums have, also none that are left over. */
export const UNUSED_ID: string = `1 + max(${["perdura_summed_keys", ...SUMS_TABLES.map(([table]) => table)].map((table) => `(SELECT coalesce(max(key_id), 0) FROM ${table})`).join(", ")})`;

/** Removes sums of keys that have no row any more, some at a time; false if no such sums are left. */
export function removeLeftOver(database: Database, rows: number): boolean {
  for (const [table, place] of SUMS_TABLES) {
    const nextId = database.prepare(`SELECT min(key_id) FROM ${table} WHERE key_id > ?`).pluck();
    const isKnown = database.prepare("SELECT 1 FROM perdura_summed_keys WHERE key_id = ?").pluck();
    let id = nextId.get(0) as number | null;
    while (id !== null && isKnown.get(id) !== undefined) id = nextId.get(id) as number | null;
    if (id === null) continue;
    database
      .prepare(
        `DELETE FROM ${table} WHERE (key_id, ${place}) IN (SELECT key_id, ${place} FROM ${table} WHERE key_id = ? LIMIT ?)`,
      )
      .run(id, rows);
    return true;
  }
  return false;
}
