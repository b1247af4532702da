import { type Names, quoteText } from "./names.ts";

/** The number of the transaction that asks. */
export const RECORDED_BY: string = "pg_current_xact_id()::text::bigint";

/** The index that the specification states is on `user_id` alone: what is new of one user has an index of its own. */
export function recordedIndexes(names: Names): string[] {
  return [
    `CREATE INDEX IF NOT EXISTS perdura_interactions_user_recorded ON ${names.interactions} (user_id, recorded_by)`,
    `CREATE INDEX IF NOT EXISTS perdura_interactions_recorded ON ${names.interactions} (recorded_by)`,
  ];
}

/**
 * Forgets the numbers of another cluster: all rows that are there count as written before any transaction of this one. A
 * column with a constant default is added without touching a row; where something of the user's depends on the column, the
 * rows are changed. There must be no triggers.
 */
export function forgetNumbers(names: Names): string[] {
  const table = names.interactions;
  return [
    `DO ${quoteText(`
    BEGIN
      ALTER TABLE ${table} DROP COLUMN IF EXISTS recorded_by;
      ALTER TABLE ${table} ADD COLUMN recorded_by bigint NOT NULL DEFAULT 0;
    EXCEPTION WHEN dependent_objects_still_exist THEN
      UPDATE ${table} SET recorded_by = 0;
    END`)}`,
    `ALTER TABLE ${table} ALTER COLUMN recorded_by SET DEFAULT ${RECORDED_BY}`,
    ...recordedIndexes(names),
  ];
}
