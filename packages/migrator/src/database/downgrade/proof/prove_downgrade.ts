import { statSync } from "node:fs";
import type { Database } from "@perdura/internals/sqlite/open_database.js";
import type { FoundDatabase } from "../../../core/discovery.ts";
import type { HasSettings } from "../../../core/options.ts";
import type { InPieces, Progress } from "../../../core/progress.ts";
import type { DatabaseReport, VerificationReport } from "../../../core/report.ts";
import { rowsAre, rowsWere } from "../../../core/rows_text.ts";
import type { Workers } from "../../../io/child/workers.ts";
import { backupsOf } from "../../../io/copy_database.ts";
import { openReadable, withReadable } from "../../../io/readable_database.ts";
import { readCatalog } from "../../sql/catalog.ts";
import { knownTables } from "../../layouts/table_layouts.ts";
import { attachBackup, countUnequal, rowsDiffer } from "../../proof/comparison.ts";
import { proveOtherTables, tablesOfBackup } from "../../proof/prove_other_tables.ts";
import { proveMetadata } from "../../proof/prove_metadata.ts";
import { type MigratedTable, proveRows } from "../../proof/prove_rows.ts";
import { isMerged } from "../../record/merged_rows.ts";
import { columnsOfQuarantine, QUARANTINE_TABLE } from "../../record/quarantine.ts";
import { rowIdName } from "../../sql/row_id.ts";
import { handledTables } from "../former_state.ts";
import { numberOf } from "../former_types.ts";
import { type DowngradePlan, planDowngrade } from "../plan_downgrade.ts";
import { stayingCondition } from "../quarantined_rows.ts";
import { type OriginalProof, proveOriginals } from "./prove_originals.ts";
import { proveSchema } from "./prove_schema.ts";
import { proveLevels } from "./prove_levels.ts";
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
  const change = {
    database,
    in16: "backup",
    number: numberOf(plan.state),
    tables: restoredTables(plan),
    later,
  } as const;
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
  const before = database
    .prepare(`SELECT count(*) FROM backup.${QUARANTINE_TABLE} AS l WHERE ${where}`)
    .pluck()
    .get() as number;
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

/** The backup of `down`, if it is the newest of all: then the old layout is the result of a downgrade. */
export function backupOfDowngrade(database: string, backupDir: string | null): string | undefined {
  const copy = backupsOf(database, backupDir, "v16").at(-1);
  const original = backupsOf(database, backupDir).at(-1);
  if (copy === undefined || original === undefined) return copy;
  return statSync(copy).mtimeMs >= statSync(original).mtimeMs ? copy : undefined;
}

/**
 * Compares a downgraded database with its state in version 16, and with the backup from before the migration. Rows that
 * a pre-16 program recorded since are counted, but are not differences.
 */
export async function compareDowngraded(
  found: FoundDatabase,
  place: { path: string },
  copy: string,
  report: DatabaseReport,
  run: Progress & HasSettings & Workers,
): Promise<void> {
  const plan = withReadable({ path: copy }, copy, run, (database) =>
    planDowngrade(database, readCatalog(database, knownTables())),
  );
  const sha256 = await run.files.hash(copy);
  report.backup = { path: copy, bytes: statSync(copy).size, sha256, reused: false, kept: true };
  const missing = plan === undefined ? undefined : missingTable(found, place, plan, run);
  if (plan === undefined || missing !== undefined) {
    report.status = "differs";
    report.reason =
      missing === undefined
        ? `The database is in a pre-16 layout, but its newest backup ${copy} has no record of a migration.`
        : `The table ${missing} is missing or has other columns. The backup ${copy} contains its rows.`;
    return;
  }
  const { verification, original } = await prove(found, place, copy, plan, run);
  report.verification = verification;
  report.notes.push(...notesOnOriginal(original));
  report.status = verification.differences.length === 0 ? "verified" : "differs";
}

async function prove(
  { path }: FoundDatabase,
  place: { path: string },
  copy: string,
  plan: DowngradePlan,
  run: Progress & HasSettings,
): Promise<DowngradeProof> {
  const database = openReadable({ ...place, remove: () => undefined }, path, run.settings.busyTimeoutMs);
  try {
    const originals = backupsOf(path, run.settings.backupDir);
    return await run.inPieces(
      { path, stage: "compare", detail: "comparing every row with the backups" },
      proveDowngrade(database, plan, { copy, originals, later: true }),
    );
  } finally {
    database.close();
  }
}

function missingTable(
  found: FoundDatabase,
  place: { path: string },
  { state: { metrics, second } }: DowngradePlan,
  run: HasSettings,
): string | undefined {
  return withReadable(place, found.path, run, (database) => {
    const columns = database.prepare("SELECT name FROM pragma_table_info(?, 'main')").pluck();
    const isThere = (table: { name: string; columns: string[] }): boolean => {
      const present = columns.all(table.name);
      return table.columns.every((column) => present.includes(column));
    };
    return [metrics, second].find((table) => table !== null && !isThere(table))?.name;
  });
}
