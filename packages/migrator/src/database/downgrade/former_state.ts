import { INTERACTIONS, isRenamed, type MetricsTable, renamedColumns, SIDE_TABLE } from "../layouts/metrics_table.ts";
import { type Former, type MigrationRecord, quarantines, type RepairedReference } from "../record/migration_record.ts";
import { KEPT_LEVELS_TABLE, OWN_TABLES } from "../record/side_tables.ts";

/** The state that a downgrade restores, according to the records. */
export interface FormerState {
  /** All migrations, oldest first. */
  records: readonly MigrationRecord[];
  /** Index of the migration that found the metrics to restore. */
  index: number;
  /** The database as that migration found it. */
  former: Former;
  /** The metrics table of the old layout; null if only indexes change. */
  metrics: MetricsTable | null;
  /** A second metrics table, or null. */
  second: MetricsTable | null;
  /** True if renaming is not sufficient: the columns, their order, or their types differ. */
  rebuilds: boolean;
  /** True if the side table for metadata existed. */
  hadSideTable: boolean;
  /** `user_version` before the first migration. */
  userVersion: number;
}

/**
 * Finds the state before the first migration that changed a metrics table: later ones merged rows of programs that
 * continued to run, and these rows stay with the others. A migration that only built indexes is also undone.
 */
export function formerStateOf(records: readonly MigrationRecord[]): FormerState {
  const changed = records.findIndex(isChanged);
  const base = Math.max(changed, 0);
  const { former } = records[base] as MigrationRecord;
  const metrics = changed === -1 ? null : former.metrics;
  return {
    records,
    index: base,
    former,
    metrics,
    second: changed === -1 ? null : former.second,
    rebuilds:
      metrics !== null && (isRenamed(metrics) || metrics.names.metadata !== null || metrics.otherTypes.length > 0),
    hadSideTable: former.objects.some(({ type, name }) => type === "table" && name.toLowerCase() === SIDE_TABLE),
    userVersion: (records[0] as MigrationRecord).former.user_version,
  };
}

/** True if rows changed or left; patterns that left are restored separately. */
function isChanged(record: MigrationRecord): boolean {
  const { metrics, second } = record.former;
  if (metrics === null) return false;
  return second !== null || !isOf16(metrics) || quarantines(record);
}

/** True for a table with names and types of version 16, to which at most rows return. */
export function isOf16(metrics: MetricsTable): boolean {
  const isNamed = !isRenamed(metrics) && renamedColumns(metrics).length === 0 && metrics.names.level !== null;
  return isNamed && metrics.otherTypes.length === 0;
}

/** The references to missing tables whose names the migrations replaced. */
export function repairedReferences({ records }: Pick<FormerState, "records">): RepairedReference[] {
  return records.flatMap(({ former }) => former.repaired_references ?? []);
}

/** Tables that are restored separately, in lower case. */
export function handledTables({ metrics, second }: Pick<FormerState, "metrics" | "second">): Set<string> {
  const tables =
    metrics === null ? [] : [INTERACTIONS, SIDE_TABLE, metrics.name, ...(second === null ? [] : [second.name])];
  return new Set([...tables, ...OWN_TABLES, KEPT_LEVELS_TABLE].map((name) => name.toLowerCase()));
}
