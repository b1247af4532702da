import { sqlText } from "@perdura/internals/text/quoted_sql.js";
import { recordedIndexes } from "./interaction_indexes.ts";
import { FIRST_NUMBER_OF_SHARD, type Names } from "./names.ts";

/** SQL for the number of the current transaction. */
export const recordedBy = (names: Names): string => numberOf(names, "pg_current_xact_id()");

/** SQL for the lowest number of a transaction that may still be running. */
export const horizon = (names: Names): string => numberOf(names, "pg_snapshot_xmin(pg_current_snapshot())");

/**
 * A shard may come from another server, whose transactions had other numbers. So the numbers in a shard begin above
 * those of all rows that existed when its sums were made on this server.
 */
function numberOf({ ending }: Names, transaction: string): string {
  return `${ending === "" ? "" : `${FIRST_NUMBER_OF_SHARD} + `}${transaction}::text::bigint`;
}

/**
 * Resets the numbers of another cluster: existing rows count as written before every transaction of this cluster. A
 * column with a constant default is added without rewriting rows; if an object of the user depends on the column, the
 * rows are updated instead. The table must have no triggers of perdura.
 */
export function resetRecordedBy(names: Names): string[] {
  const table = names.interactions;
  return [
    `DO ${sqlText(`
    BEGIN
      ALTER TABLE ${table} DROP COLUMN IF EXISTS recorded_by;
      ALTER TABLE ${table} ADD COLUMN recorded_by bigint NOT NULL DEFAULT 0;
    EXCEPTION WHEN dependent_objects_still_exist THEN
      UPDATE ${table} SET recorded_by = 0;
    END`)}`,
    `ALTER TABLE ${table} ALTER COLUMN recorded_by SET DEFAULT ${recordedBy(names)}`,
    ...recordedIndexes(names),
  ];
}
