import type { MetricsTable } from "../layouts/layout.ts";
import { type Former, type MigrationRecord, OWN_TABLES } from "../record/migration_record.ts";
import { KEPT_LEVELS_TABLE } from "../record/side_tables.ts";

/** What a database goes back to, as its records tell it. */
export interface OldForm {
  /** Every migration, oldest first. */
  records: readonly MigrationRecord[];
  /** Which of them found the metrics that the database goes back to, counted from 0. */
  base: number;
  /** The database as that migration found it. */
  former: Former;
  /** The metrics table of the old layout; null where only indexes go. */
  metrics: MetricsTable | null;
  /** A second one beside it, or null. */
  second: MetricsTable | null;
  /** True when the table cannot be had by renaming: its columns are others, or stand in another order. */
  rebuilds: boolean;
  /** True when the side table for metadata was there. */
  hadSideTable: boolean;
  /** `user_version` before the first migration. */
  userVersion: number;
}

/**
 * Undoing goes to before the first migration that changed a metrics table: later ones brought rows of programs that went
 * on, and these stay with the others. One that built indexes only is undone as well.
 */
export function oldFormOf(records: readonly MigrationRecord[]): OldForm {
  const changed = records.findIndex(({ former }) => isChanged(former));
  const base = Math.max(changed, 0);
  const { former } = records[base] as MigrationRecord;
  const metrics = changed === -1 ? null : former.metrics;
  return {
    records,
    base,
    former,
    metrics,
    second: changed === -1 ? null : former.second,
    rebuilds: metrics !== null && (metrics.name.toLowerCase() !== "interactions" || metrics.metadata !== null),
    hadSideTable: former.objects.some(({ type, name }) => type === "table" && name.toLowerCase() === SIDE_TABLE),
    userVersion: (records[0] as MigrationRecord).former.user_version,
  };
}

function isChanged({ metrics, second }: Former): boolean {
  if (metrics === null) return false;
  return second !== null || metrics.name.toLowerCase() !== "interactions" || metrics.level?.toLowerCase() !== "level";
}

/** Where metadata stands in version 16. */
export const SIDE_TABLE = "interaction_metadata";

/** The tables that are brought back by themselves, lower case. */
export function handledTables({ metrics, second }: Pick<OldForm, "metrics" | "second">): Set<string> {
  const tables =
    metrics === null ? [] : ["interactions", SIDE_TABLE, metrics.name, ...(second === null ? [] : [second.name])];
  return new Set([...tables, ...OWN_TABLES, KEPT_LEVELS_TABLE].map((name) => name.toLowerCase()));
}
