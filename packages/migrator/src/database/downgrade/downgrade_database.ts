import { declareRollupReady, isRollupReady } from "@perdura/internals/metrics/rollup/handover.js";
import type { Database } from "@perdura/internals/sqlite/open_database.js";
import type { FoundDatabase } from "../../core/discovery.ts";
import { recogniseDatabase } from "../layouts/known_layouts.ts";
import type { HasSettings } from "../../core/options.ts";
import type { Cleanup, Progress } from "../../core/progress.ts";
import { databaseReport, type DatabaseReport } from "../../core/report.ts";
import { Stop } from "../../core/stop.ts";
import { assertWritable, diskShortage } from "../../io/access.ts";
import type { Backup } from "../../io/backup.ts";
import type { Workers } from "../../io/child/workers.ts";
import { backupsOf, stampOf } from "../../io/copy_database.ts";
import type { EarlyCopies } from "../../io/early_copy.ts";
import { whileReading } from "../../io/readable_database.ts";
import { changeInPlace, diskNeed } from "../change_in_place.ts";
import { assertStillUsable, workingUses } from "../objects/working_uses.ts";
import { countTables } from "../inspect/count_tables.ts";
import { assertUndamaged, reportUnplanned } from "../inspect/examine.ts";
import { foundBefore, type Seen } from "../inspect/plan_database.ts";
import { forecastOnReplica } from "../forecast/schema_replica.ts";
import type { Layout } from "../layouts/layout.ts";
import { DamagedRecord, type MigrationRecord, readRecords } from "../record/migration_record.ts";
import { runStep } from "../steps/step.ts";
import { notesOnOriginal, proveDowngrade } from "./proof/prove_downgrade.ts";
import { assertReferencesKept, recordReferences } from "./references.ts";
import { type DowngradePlan, planDowngrade } from "./plan_downgrade.ts";

/** Findings of `down` about a database. */
export interface DowngradeInspection {
  layout: Layout;
  records: MigrationRecord[];
  tables: { table: string; rows: number }[];
  /** Undefined if there is nothing to undo, or undoing is impossible. */
  plan: DowngradePlan | undefined;
  notes: string[];
  /** Reason why it cannot be undone, or null. */
  refusal: string | null;
}

/** Part of a run: its inspections for `down`. */
export interface DowngradeInspections {
  /** Keyed by path. */
  readonly downgrades: Map<string, Seen<DowngradeInspection>>;
}

/** Plans `down` for one database. Cannot write, like {@link planDatabase}. */
export async function planDatabaseDowngrade(
  found: FoundDatabase,
  run: Progress & HasSettings & Workers & DowngradeInspections,
): Promise<DatabaseReport> {
  const report = databaseReport(found.path, found.bytes);
  try {
    await run.stage(found.path, "inspect", "reading the schema and the records of migrations");
    const inspection = await whileReading(found, run, async (database, path) => {
      const stamp = path === found.path ? await stampOf(path, run) : null;
      assertUndamaged(database);
      const seen = { stamp, found: inspectDowngrade(database) };
      run.downgrades.set(found.path, seen);
      return seen.found;
    });
    fillReport(report, inspection);
    decide(report, inspection, found);
    if (report.status === "planned") assertRoom(report, found, inspection, run);
  } catch (error) {
    reportUnplanned(report, error, run);
  }
  return report;
}

/**
 * Inspects a database through an open connection without changes. Also called inside the transaction that changes it.
 */
function inspectDowngrade(database: Database): DowngradeInspection {
  const { catalog, layout } = recogniseDatabase(database);
  const found = { layout, records: readRecords(database), tables: countTables(database, catalog) };
  try {
    const plan = planDowngrade(database, catalog);
    const { refusal, notes } = forecastOnReplica(catalog, plan?.steps ?? []);
    return { ...found, plan, notes: [...(plan?.notes ?? []), ...notes], refusal };
  } catch (error) {
    if (!(error instanceof Stop) || error instanceof DamagedRecord) throw error;
    return { ...found, plan: undefined, notes: [], refusal: error.message };
  }
}

/** Puts the findings into a report. */
function fillReport(report: DatabaseReport, inspection: DowngradeInspection): void {
  const { layout, records, plan } = inspection;
  report.layout = layout.name;
  report.layout_title = layout.title;
  report.tables = inspection.tables;
  report.history = records.map(({ former: _former, result: _result, ...past }) => past);
  report.steps = plan === undefined ? [] : [...plan.steps, plan.finish].map(({ title }) => title);
  report.notes = inspection.notes;
}

function decide(report: DatabaseReport, { layout, records, refusal }: DowngradeInspection, found: FoundDatabase): void {
  if (records.length === 0 && refusal === null) {
    report.status = layout.treatment === "keep" || layout.treatment === "leave" ? "left_alone" : "nothing_to_do";
    report.reason =
      layout.treatment === "leave"
        ? (layout.sentence ?? null)
        : layout.treatment === "keep"
          ? "The database has no record of a migration: a program of version 16 created it, or it needed no migration."
          : "The database is in a pre-16 layout.";
    return;
  }
  const reason = refusal ?? found.refusal;
  report.status = reason === null ? "planned" : "refused";
  report.reason = reason;
}

function assertRoom(
  report: DatabaseReport,
  found: FoundDatabase,
  { plan }: DowngradeInspection,
  run: HasSettings,
): void {
  const { backupDir } = run.settings;
  assertWritable(found.path, backupDir);
  const treatment = plan?.state.rebuilds === true ? "convert" : "rename";
  const disk = diskNeed(found.path, found.bytes, treatment, false, backupDir);
  report.disk = disk;
  const shortage = diskShortage(disk, found.bytes, backupDir);
  if (shortage !== null) throw new Stop("refused", shortage);
}

/** Downgrades one database to its layout before the migrations, in place and in one transaction. */
export function downgradeDatabase(
  found: FoundDatabase,
  report: DatabaseReport,
  run: Progress & HasSettings & Workers & Cleanup & EarlyCopies & DowngradeInspections,
): Promise<void> {
  return changeInPlace(found, report, run, {
    done: "downgraded",
    line: "v16",
    inspect: (database) => inspectLocked(database, found, report, run),
    make: (database, plan, backup) => downgrade(database, plan, backup, found, report, run),
    isDone: (database) => readRecords(database).length === 0,
  });
}

/**
 * Inspects again under the lock, because the database may have changed since the plan. Undefined if another process
 * downgraded it meanwhile.
 */
async function inspectLocked(
  database: Database,
  { path }: FoundDatabase,
  report: DatabaseReport,
  run: Workers & DowngradeInspections,
): Promise<DowngradePlan | undefined> {
  const inspection = (await foundBefore(run.downgrades.get(path), path, run)) ?? inspectDowngrade(database);
  fillReport(report, inspection);
  if (inspection.refusal !== null) throw new Stop("refused", inspection.refusal);
  return inspection.plan;
}

async function downgrade(
  database: Database,
  plan: DowngradePlan,
  backup: Backup,
  found: FoundDatabase,
  report: DatabaseReport,
  run: Progress & HasSettings,
): Promise<void> {
  const hadRollup = isRollupReady(database);
  const working = workingUses(database);
  const references = recordReferences(database, plan);
  for (const step of plan.steps) await runStep(step, database, { path: found.path, stage: "downgrade" }, run);
  assertReferencesKept(references, database, plan);
  assertStillUsable(database, working);
  await runStep(plan.finish, database, { path: found.path, stage: "downgrade" }, run);
  await run.stage(found.path, "verify", "comparing every row with the copy");
  const { verification, original } = await run.inPieces(
    { path: found.path, stage: "verify", detail: "comparing rows with the copy" },
    proveDowngrade(database, plan, {
      copy: backup.path,
      originals: backupsOf(found.path, run.settings.backupDir),
      later: false,
    }),
  );
  report.verification = verification;
  const { differences } = verification;
  if (differences.length > 0) throw new Stop("failed", `The proof failed: ${differences.join("; ")}.`);
  const { rows_before, rows_after, rows_quarantined } = verification;
  // Then all rows are unchanged, and in one table.
  const isSame = (plan.state.metrics?.otherTypes.length ?? 0) === 0;
  if (hadRollup && isSame && plan.state.second === null && rows_before === rows_after && rows_quarantined === 0)
    declareRollupReady(database);
  report.notes.push(...notesOnOriginal(original));
}
