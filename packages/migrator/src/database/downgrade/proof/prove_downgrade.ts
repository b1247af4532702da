import type { Database } from "@perdura/internals/sqlite/open_database.js";
import type { InPieces } from "../../../core/progress.ts";
import type { VerificationReport } from "../../../core/report.ts";
import { rowsAre, rowsWere } from "../../../core/rows_text.ts";
import { attachBackup, countUnequal, rowsDiffer } from "../../proof/comparison.ts";
import { proveMetadata } from "../../proof/prove_metadata.ts";
import { proveOtherTables, tablesOfBackup } from "../../proof/prove_other_tables.ts";
import { type MigratedTable, proveRows, type ProvedChange } from "../../proof/prove_rows.ts";
import { isMerged } from "../../record/merged_rows.ts";
import { columnsOfQuarantine, QUARANTINE_TABLE } from "../../record/quarantine.ts";
import { countFrom } from "../../sql/count_from.ts";
import { rowIdName } from "../../sql/row_id.ts";
import { handledTables } from "../former_state.ts";
import { numberOf } from "../former_types.ts";
import type { DowngradePlan } from "../plan_downgrade.ts";
import { stayingCondition } from "../quarantined_rows.ts";
import { proveLevels } from "./prove_levels.ts";
import { type OriginalProof, proveOriginals } from "./prove_originals.ts";
import { proveSchema } from "./prove_schema.ts";
import { restoredPatterns } from "./restored_patterns.ts";

/** Copies to compare a downgraded database with. */
interface Copies {
  /** The database of version 16. */
  copy: string;
  /** The backups of `up`, oldest first. */
  originals: readonly string[];
  /** True some time later: pre-16 programs may have recorded rows since. */
  later: boolean;
}

/** Result of the comparison; `original` is undefined without a backup of the same layout from before the migration. */
interface DowngradeProof {
  verification: VerificationReport;
  original: OriginalProof | undefined;
}

/** Compares a database in its old layout, value by value, with its state in version 16 and with the original. */
export function* proveDowngrade(
  database: Database,
  plan: DowngradePlan,
  { copy, originals, later }: Copies,
): InPieces<DowngradeProof> {
  attachBackup(database, copy);
  const change: ProvedChange = {
    database,
    in16: "backup",
    number: numberOf(plan.state),
    tables: restoredTables(plan),
    later,
  };
  const rows = yield* proveRows(change);
  const metadata = yield* proveMetadata(change);
  const listed = tablesOfBackup(database, handledTables(plan.state));
  const others = yield* proveOtherTables({ database, written: plan.written, later }, listed, ({ name }) =>
    restoredPatterns(database, plan, name),
  );
  const original = yield* proveOriginals(database, plan, originals);
  const hasRows = plan.state.metrics !== null;
  const before = rows.kept + rows.quarantined;
  const verification: VerificationReport = {
    method: "rows",
    rows_before: hasRows ? before : null,
    rows_after: hasRows ? (later ? before : rows.old) : null,
    rows_quarantined: rows.quarantined,
    metadata_rows: metadata.kept + metadata.quarantined,
    rows_added_since: original?.added ?? (later ? rows.old - before : 0),
    other_tables: others.tables,
    differences: [
      ...rows.differences,
      ...metadata.differences,
      ...(hasRows ? proveLevels(database, plan) : []),
      ...(later ? [] : proveStaying(database, plan)),
      ...others.differences,
      ...(original?.differences ?? []),
      ...(later ? [] : proveSchema(database, plan)),
    ],
  };
  return { verification, original };
}

/** The tables of the old layout, and the rows of version 16 that returned to them. */
function restoredTables({ state: { metrics, second }, mergedRange, quarantined }: DowngradePlan): MigratedTable[] {
  return [metrics, second].flatMap((table): MigratedTable[] => {
    if (table === null) return [];
    const isSecond = table === second;
    return [
      {
        table,
        idOffset: isSecond ? (mergedRange?.idOffset ?? 0) : 0,
        isMerged: isSecond,
        owns: (id) => (isSecond ? isMerged(mergedRange, id) : `NOT (${isMerged(mergedRange, id)})`),
        quarantined: quarantined.filter(({ to }) => to === table),
      },
    ];
  });
}

/** Proves that rows of the quarantine that have no place in the old layout are still in it. */
function proveStaying(database: Database, { quarantined: shares, patterns }: DowngradePlan): string[] {
  const columns = columnsOfQuarantine(database, "backup");
  if (columns === undefined) return [];
  const where = stayingCondition([...shares, ...patterns], "l");
  const before = countFrom(database, `backup.${QUARANTINE_TABLE} AS l WHERE ${where}`);
  if (before === 0) return [];
  if (columnsOfQuarantine(database, "main") === undefined)
    return [`${rowsAre(before, `of ${QUARANTINE_TABLE}`)} missing`];
  const rowId = rowIdName(QUARANTINE_TABLE, columns);
  const { unequal } = countUnequal(database, {
    left: { schema: "backup", table: QUARANTINE_TABLE, columns },
    right: { schema: "main", table: QUARANTINE_TABLE, columns },
    keys: [[rowId, rowId]],
    where,
  });
  return unequal === 0 ? [] : [rowsDiffer(unequal, QUARANTINE_TABLE)];
}

/** A note on the comparison with the backup from before the migration. */
export function notesOnOriginal(original: OriginalProof | undefined): string[] {
  if (original === undefined) return [];
  const { path, changed } = original;
  return [
    changed === 0
      ? `all rows from before the migration are unchanged, compared with ${path}`
      : `${rowsWere(changed)} changed or deleted in version 16; all other rows from before the migration are unchanged, compared with ${path}`,
  ];
}
