import { rmSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { createPrivateFile } from "@perdura/internals/files/private_file.js";
import { setMode } from "@perdura/internals/files/access.js";
import { makePrivateDirectory } from "@perdura/internals/files/private_directory.js";
import { temporaryName } from "@perdura/internals/files/temporary_names.js";
import { declareRollupReady, isRollupReady } from "@perdura/internals/metrics/rollup/handover.js";
import { copyContent } from "@perdura/internals/sqlite/copy_content.js";
import type { Database } from "@perdura/internals/sqlite/open_database.js";
import type { FoundDatabase } from "../core/discovery.ts";
import { type HasSettings, withSettings } from "../core/options.ts";
import type { Progress } from "../core/progress.ts";
import type { DatabaseReport, VerificationReport } from "../core/report.ts";
import { rowsText } from "../core/rows_text.ts";
import { Stop, stopOf } from "../core/stop.ts";
import { isWritableDirectory } from "../io/access.ts";
import type { Backup } from "../io/backup.ts";
import type { Workers } from "../io/child/workers.ts";
import { whileReading } from "../io/readable_database.ts";
import { changeInPlace } from "./change_in_place.ts";
import { examine } from "./inspect/examine.ts";
import { recogniseDatabase } from "./layouts/known_layouts.ts";
import { inspectDatabase, type Inspection } from "./inspect/inspect_database.ts";
import { type DatabaseRun, fill, foundBefore, type Inspections } from "./inspect/plan_database.ts";
import type { PatternSurvey } from "./patterns/survey_patterns.ts";
import { attachBackup } from "./proof/comparison.ts";
import { proveByPages } from "./proof/prove_by_pages.ts";
import { proveDatabase } from "./proof/prove_database.ts";
import type { Subject } from "./proof/subject.ts";
import { runStep } from "./steps/step.ts";
import { SIDE_TABLE } from "./layouts/metrics_table.ts";
import { attachLevels, type NamedLevelFile, withLevelFile } from "./levels/level_file.ts";
import { type CheckedKeys, newlyBroken, recordBroken } from "./objects/broken_references.ts";
import { refersTo } from "./objects/foreign_keys.ts";
import { assertStillUsable, workingUses } from "./objects/working_uses.ts";

/** Migrates one database in place, in one transaction. */
export function migrateDatabase(found: FoundDatabase, report: DatabaseReport, run: DatabaseRun): Promise<void> {
  return withLevelFile(run, (file) =>
    changeInPlace(found, report, run, {
      done: "migrated",
      line: "v15",
      inspect: (database) => {
        attachLevels(database, file);
        return inspectLocked(database, found, report, run, file);
      },
      make: (database, inspection, backup) => change(database, inspection, backup, found, report, run),
      isDone: (database) => isMigrated(database, run),
    }),
  );
}

function isMigrated(database: Database, { settings }: HasSettings): boolean {
  const { layout, conversion } = inspectDatabase(database, settings);
  return layout.treatment === "keep" && conversion.steps.length === 0;
}

/**
 * Inspects again under the lock, because the database may have changed since the plan. Undefined if another process
 * migrated it meanwhile.
 */
async function inspectLocked(
  database: Database,
  { path }: FoundDatabase,
  report: DatabaseReport,
  run: Progress & HasSettings & Workers & Inspections,
  levelFile: NamedLevelFile | null,
): Promise<Inspection | undefined> {
  const known = await foundBefore(run.inspected.get(path), path, run);
  const inspection = known ?? (await inspect(database, path, run, levelFile));
  fill(report, inspection);
  if (inspection.refusal !== null) throw new Stop("refused", inspection.refusal);
  return inspection.conversion.steps.length > 0 ? inspection : undefined;
}

async function inspect(
  database: Database,
  path: string,
  run: Progress & HasSettings & Workers & Inspections,
  levelFile: NamedLevelFile | null,
): Promise<Inspection> {
  const counts = await examine(database, recogniseDatabase(database), { path, intent: "read", shownAs: path }, run);
  return inspectDatabase(database, run.settings, run.askLevels, counts, levelFile);
}

/** @throws Stop that names a table of which references would be broken. */
function assertReferencesHold(before: CheckedKeys, database: Database): void {
  const [found] = newlyBroken(database, before, recordBroken(database, "after"));
  if (found === undefined) return;
  if (found.child === SIDE_TABLE)
    throw new Stop("failed", `The metadata of ${rowsText(found.rows)} would belong to no row of interactions.`);
  throw refersTo(found.table, found.rows);
}

async function change(
  database: Database,
  inspection: Inspection,
  backup: Backup,
  found: FoundDatabase,
  report: DatabaseReport,
  run: Progress & HasSettings & Workers,
): Promise<void> {
  const { conversion, metrics } = inspection;
  const hadRollup = isRollupReady(database);
  const { merged } = conversion;
  const old = { metrics, second: inspection.second, idOffset: merged?.id_offset ?? 0 };
  const references = recordBroken(database, "before", old);
  const working = workingUses(database);
  for (const step of conversion.steps) await runStep(step, database, { path: found.path, stage: "change" }, run);
  assertReferencesHold(references, database);
  assertStillUsable(database, working);
  await run.stage(found.path, "verify", "comparing with the copy");
  attachBackup(database, backup.path);
  const leaves = conversion.steps.some(({ changes = [] }) => changes.some(({ table }) => table === metrics?.name));
  const before = inspection.layout.treatment === "keep" && !leaves ? null : metrics;
  const subject = {
    database,
    before,
    second: inspection.second,
    dropped: conversion.dropped,
    written: conversion.written,
    later: false,
  };
  const files = { database: found.path, backup: backup.path, tables: inspection.tables };
  const step = { path: found.path, stage: "verify", detail: "comparing rows with the copy" } as const;
  const isByPages = inspection.patterns === null || !isChanged(inspection.patterns);
  report.verification =
    (isByPages ? await proveByPages(subject, files, run) : undefined) ??
    (await run.inPieces(step, proveDatabase(subject)));
  const { differences } = report.verification;
  if (differences.length > 0) throw new Stop("failed", `The proof failed: ${differences.join("; ")}.`);
  const isSame = hasSameRows(report.verification, subject) && (metrics?.otherTypes.length ?? 0) === 0;
  if (hadRollup && isSame) declareRollupReady(database);
}

/** True if rows of patterns change, or may change: then a comparison of pages cannot decide. */
function isChanged({ repaired, unreadable }: PatternSurvey): boolean {
  return repaired.length > 0 || unreadable.length > 0;
}

/** True if no row was added or removed. */
function hasSameRows({ rows_before, rows_after, rows_quarantined }: VerificationReport, subject: Subject): boolean {
  return subject.second === null && rows_before === rows_after && rows_quarantined === 0;
}

/**
 * Migrates a private copy of a database as `up` would migrate the database, including proof and commit, and removes the
 * copy. The copy is in the place of the backup, so that it uses the same disk; if that is not writable, among temporary
 * files. The database itself is only read.
 *
 * @param use Gets the path of the migrated copy before the copy is removed.
 */
export async function rehearseDatabase(
  found: FoundDatabase,
  report: DatabaseReport,
  run: DatabaseRun,
  use: (path: string) => Promise<void> = async () => undefined,
): Promise<void> {
  const { backupDir } = run.settings;
  const own = backupDir === null && !isWritableDirectory(dirname(found.path)) ? makePrivateDirectory() : undefined;
  const place = own ?? backupDir ?? dirname(found.path);
  const path = join(place, temporaryName(basename(found.path)));
  try {
    await copyForRehearsal(found, path, run);
    // Makes the copy writable even if the original is not.
    setMode(path, 0o600, statSync(found.path).mode);
    const rehearsal: DatabaseReport = { ...report, path };
    await migrateDatabase({ ...found, path }, rehearsal, onCopy(run, path, found.path));
    if (rehearsal.status === "migrated") await use(path);
    const ofOriginal = (text: string): string => text.replaceAll(path, found.path);
    Object.assign(report, rehearsal, {
      path: found.path,
      status: rehearsal.status === "migrated" ? "rehearsed" : rehearsal.status,
      reason: rehearsal.reason === null ? null : ofOriginal(rehearsal.reason),
      notes: rehearsal.notes.map(ofOriginal),
      // The copy of the copy was removed with it.
      backup: null,
    } satisfies Partial<DatabaseReport>);
  } catch (error) {
    const stop = stopOf(error, path);
    report.status = stop.status;
    report.reason = stop.message;
  } finally {
    run.discard(path);
    if (own !== undefined) rmSync(own, { recursive: true, force: true });
  }
}

/** Settings for the copy: it needs no permanent backup, and progress reports name the original. */
function onCopy(run: DatabaseRun, path: string, original: string): DatabaseRun {
  // An unchanged copy has the same findings as its original.
  const known = run.inspected.get(original);
  if (known !== undefined) run.inspected.set(path, known);
  const { onProgress } = run.settings;
  return withSettings(run, {
    backup: false,
    backupDir: null,
    onProgress: (event) => onProgress({ ...event, path: event.path === path ? original : event.path }),
  });
}

/** Copies the database completely and consistently, without writing next to the original, as in a plan. */
async function copyForRehearsal(
  found: FoundDatabase,
  to: string,
  run: Progress & HasSettings & Workers,
): Promise<void> {
  await run.stage(found.path, "backup", "copying the database for the rehearsal");
  await whileReading(found, run, async (database, path) => {
    if (path === found.path) return void (await run.files.copy(path, to, telling(path, run)));
    createPrivateFile(to);
    await copyContent(database, to, run.settings);
  });
}

const telling =
  (path: string, run: Progress) =>
  (done: number, total: number): void =>
    run.reportProgress({
      path,
      stage: "backup",
      detail: "copying the database for the rehearsal",
      done,
      total,
      unit: "bytes",
    });
