import type { Names } from "./names.ts";
import { RECORDED_BY, recordedIndexes } from "./recorded_by.ts";
import { insertTrigger } from "./stale_triggers.ts";
import { firstState } from "./sums_tables.ts";

/**
 * Begins anew with a database that was restored into another cluster, where transactions have other numbers: all rows there
 * are count as written before any of them. A column with a constant default is added without touching a row.
 */
export function numberAnew(names: Names): string[] {
  return [
    `DROP TRIGGER perdura_stale_insert ON ${names.interactions}`,
    `ALTER TABLE ${names.interactions} DROP COLUMN recorded_by`,
    `ALTER TABLE ${names.interactions} ADD COLUMN recorded_by bigint NOT NULL DEFAULT 0`,
    `ALTER TABLE ${names.interactions} ALTER COLUMN recorded_by SET DEFAULT ${RECORDED_BY}`,
    insertTrigger(names),
    ...recordedIndexes(names),
    `DELETE FROM ${names.userRollup}`,
    `DELETE FROM ${names.staleUsers}`,
    `DELETE FROM ${names.rollup}`,
    firstState(names),
  ];
}
