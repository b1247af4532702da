import type { Names } from "./names.ts";

/** The number of the transaction that asks. */
export const RECORDED_BY: string = "pg_current_xact_id()::text::bigint";

/** The index that the specification states is on `user_id` alone: what is new of one user has an index of its own. */
export function recordedIndexes(names: Names): string[] {
  return [
    `CREATE INDEX perdura_interactions_user_recorded ON ${names.interactions} (user_id, recorded_by)`,
    `CREATE INDEX perdura_interactions_recorded ON ${names.interactions} (recorded_by)`,
  ];
}
