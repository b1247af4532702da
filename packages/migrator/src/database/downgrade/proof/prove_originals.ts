import { hasTable } from "@perdura/internals/sqlite/catalog.js";
import { type Database, openDatabase } from "@perdura/internals/sqlite/open_database.js";
import { sqlName } from "@perdura/internals/text/quoted_sql.js";
import type { InPieces } from "../../../core/progress.ts";
import { useSmallCache } from "../../../io/small_cache.ts";
import { schemaEntries } from "../../sql/catalog.ts";
import { type MetricsTable, SIDE_TABLE } from "../../layouts/metrics_table.ts";
import { countAll, countUnequalInPieces, rowsDiffer } from "../../proof/comparison.ts";
import { readRecords } from "../../record/migration_record.ts";
import { isMerged } from "../../record/merged_rows.ts";
import { rowBefore } from "../../record/row_before.ts";
import { anyOf, sameValue } from "../../sql/sql_text.ts";
import { numberOf } from "../former_types.ts";
import type { DowngradePlan } from "../plan_downgrade.ts";
import { countFrom } from "../../sql/count_from.ts";

/** Result of a comparison with the backup from before the migration. */
export interface OriginalProof {
  path: string;
  /** Number of rows that were recorded since the backup. */
  added: number;
  /** Number of rows that were changed or deleted in version 16. */
  changed: number;
  differences: string[];
}

/**
 * Compares with the backup of `up`, if one has the same layout: rows that were not changed in version 16 must equal the
 * original ones in every value. This is independent of everything that the migration recorded.
 *
 * @param paths The backups, oldest first.
 * @returns Undefined without such a backup.
 */
export function* proveOriginals(
  database: Database,
  plan: DowngradePlan,
  paths: readonly string[],
): InPieces<OriginalProof | undefined> {
  const { metrics, second } = plan.state;
  const path = metrics === null ? undefined : paths.findLast((copy) => isOriginal(copy, plan));
  if (path === undefined) return undefined;
  database.prepare("ATTACH ? AS original").run(path);
  useSmallCache(database, "original");
  const proofs: Omit<OriginalProof, "path">[] = [];
  for (const table of [metrics, second])
    if (table !== null) proofs.push(yield* proveTable(database, plan, table, table === second));
  return {
    path,
    added: proofs.reduce((sum, { added }) => sum + added, 0),
    changed: proofs.reduce((sum, { changed }) => sum + changed, 0),
    differences: proofs.flatMap(({ differences }) => differences),
  };
}

/** True for a backup in the layout that the database returns to; one from a later migration has another layout. */
function isOriginal(path: string, { state }: DowngradePlan): boolean {
  const copy = openDatabase(path, { intent: "copy" });
  try {
    return (
      readRecords(copy).length === 0 && JSON.stringify(schemaEntries(copy)) === JSON.stringify(state.former.objects)
    );
  } finally {
    copy.close();
  }
}

function* proveTable(
  database: Database,
  plan: DowngradePlan,
  table: MetricsTable,
  isSecond: boolean,
): InPieces<Omit<OriginalProof, "path">> {
  const side = { table: table.name, columns: table.columns };
  const { rows, unequal } = yield* countUnequalInPieces(
    database,
    { left: { ...side, schema: "original" }, right: { ...side, schema: "main" }, keys: [["id", "id"]] },
    "id",
  );
  const gone = countGone(database, table);
  const damaged = unequal === 0 ? 0 : countDamaged(database, plan, table, isSecond);
  return {
    added: countAll(database, "main", table.name) - (rows - gone),
    changed: unequal - damaged,
    differences: damaged === 0 ? [] : [rowsDiffer(damaged, table.name, "the backup from before the migration")],
  };
}

function countGone(database: Database, { name }: MetricsTable): number {
  return countFrom(database, `original.${sqlName(name)} WHERE id NOT IN (SELECT id FROM main.${sqlName(name)})`);
}

/** Number of rows that differ from the original, although version 16 had them unchanged. */
function countDamaged(
  database: Database,
  { mergedRange, state }: DowngradePlan,
  table: MetricsTable,
  isSecond: boolean,
): number {
  const side = hasTable(database, SIDE_TABLE, "backup");
  const metadata = side ? "x.metadata" : "NULL";
  const join = side ? `LEFT JOIN backup.${SIDE_TABLE} AS x ON x.interaction_id = b.id` : "";
  const offset = isSecond ? (mergedRange?.idOffset ?? 0) : 0;
  const now = table.columns.map((column): [string, string] => [column, `m.${sqlName(column)}`]);
  const then = rowBefore(
    database,
    { table, number: numberOf(state), schema: "backup", id: `(b.id - (${offset}))` },
    { row: "b", nameOf: ({ to }) => to, metadata },
  );
  const differs = (others: readonly [column: string, value: string][]): string =>
    anyOf(others.map(([column, value]) => `NOT ${sameValue(`o.${sqlName(column)}`, `(${value})`)}`));
  const mine = isMerged(mergedRange, "b.id");
  return countFrom(
    database,
    `original.${sqlName(table.name)} AS o JOIN backup.interactions AS b ON b.id = o.id + (${offset}) ${join} LEFT JOIN main.${sqlName(table.name)} AS m ON m.id = o.id WHERE ${isSecond ? mine : `NOT (${mine})`} AND NOT (${differs(then)}) AND (m.id IS NULL OR ${differs(now)})`,
  );
}
