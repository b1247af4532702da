import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { sqlName, sqlText } from "@perdura/internals/text/quoted_sql.js";
import type { MetricsTable } from "../layouts/metrics_table.ts";
import { isMerged, mergedRange } from "../record/merged_rows.ts";
import { nextNumber } from "../record/migration_record.ts";
import { columnsOfQuarantine, quarantineColumns, quarantinedSince } from "../record/quarantine.ts";
import { includesAll } from "../sql/catalog.ts";
import type { MigratedTable, QuarantinedShare } from "./prove_rows.ts";

/** Subject of a proof: a connection to the migrated database (`main`) with the original's copy attached (`backup`). */
export interface Subject {
  database: Database;
  /** The metrics table of the backup, or null. */
  before: MetricsTable | null;
  /** A second metrics table of the backup, whose rows were merged into the first, or null. */
  second: MetricsTable | null;
  /** Indexes of the old layout that were dropped intentionally. */
  dropped: readonly string[];
  /** Lower-case names of tables that the user's triggers wrote in the migration. */
  written: ReadonlySet<string>;
  /** True some time after the migration: programs of 16 may have recorded rows and changed patterns since. */
  later: boolean;
}

/**
 * The metrics tables of the backup. The rows of a second one have their own range of ids, which the database records.
 */
export function migratedTables({ database, before, second, later }: Subject): MigratedTable[] {
  if (before === null) return [];
  const range = second === null ? null : mergedRange(database, nextNumber(database, "backup"));
  const first: MigratedTable = {
    table: before,
    idOffset: 0,
    isMerged: false,
    owns: (id, old) =>
      [
        `NOT (${isMerged(range, id)})`,
        ...(later ? [`${id} <= (SELECT ifnull(max(${old.id}), 0) FROM backup.${sqlName(old.table)})`] : []),
      ].join(" AND "),
    quarantined: quarantinedSinceOf(database, before),
  };
  if (second === null) return [first];
  const merged: MigratedTable = {
    table: second,
    idOffset: range?.idOffset ?? 0,
    isMerged: true,
    owns: (id) => isMerged(range, id),
    quarantined: quarantinedSinceOf(database, second),
  };
  return [first, merged];
}

/** The rows that this migration quarantined, not those of an earlier one; empty if rows of that table were never in it. */
function quarantinedSinceOf(database: Database, before: MetricsTable): QuarantinedShare[] {
  const { source, row } = quarantineColumns(before);
  const columns = columnsOfQuarantine(database, "main");
  // Without its columns it is a table of the user, or has only rows of other tables from an earlier migration.
  if (columns === undefined || !includesAll(columns, [source, ...row])) return [];
  const where = (alias: string): string =>
    `${alias}.${sqlName(source)} = ${sqlText(before.name)} AND ${quarantinedSince(database, columns, alias)}`;
  return [{ where, from: before, to: before, idOffset: 0 }];
}
