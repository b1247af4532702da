import type { Workers } from "../../io/child/workers.ts";
import type { HasSettings, Progress } from "../../core/run.ts";
import { type DatabaseRun, foundBefore, type Inspections } from "../inspect/inspections.ts";
import { keepRollup, rollupHolds } from "@perdura/internals/metrics/rollup/handover.js";
import type { Database } from "@perdura/internals/sqlite/open_database.js";
import type { FoundDatabase } from "../../core/discovery.ts";
import { examine } from "../inspect/examine.ts";
import { type Inspection, inspectDatabase } from "../inspect/inspect_database.ts";
import { fill } from "../inspect/plan_database.ts";
import { proveByPages } from "../proof/prove_by_pages.ts";
import { proveDatabase } from "../proof/prove_database.ts";
import { attachBackup, type Subject } from "../proof/subject.ts";
import type { DatabaseReport, VerificationReport } from "../../core/report.ts";
import type { PatternSurvey } from "../patterns/survey_patterns.ts";
import { Stop } from "../../core/stop.ts";
import type { Backup } from "../../io/backup.ts";
import { changeInPlace } from "../change_in_place.ts";
import { assertReferencesHold, brokenReferences } from "./foreign_keys.ts";
import { assertStillUsable, workingUses } from "./own_objects.ts";
import { runStep } from "../step.ts";

/** Migrates one database in place, in one transaction. */
export function migrateDatabase(found: FoundDatabase, report: DatabaseReport, run: DatabaseRun): Promise<void> {
  return changeInPlace(found, report, run, {
    done: "migrated",
    line: "v15",
    inspect: (database) => inspectAgain(database, found, report, run),
    make: (database, inspection, backup) => change(database, inspection, backup, found, report, run),
    isDone: (database) => isMigrated(database, run),
  });
}

function isMigrated(database: Database, { settings }: HasSettings): boolean {
  const { layout, conversion } = inspectDatabase(database, settings);
  return layout.treatment === "keep" && conversion.steps.length === 0;
}

/** The lock is ours now: what the plan saw may have changed since. Undefined when another process migrated it meanwhile. */
async function inspectAgain(
  database: Database,
  { path }: FoundDatabase,
  report: DatabaseReport,
  run: Progress & HasSettings & Workers & Inspections,
): Promise<Inspection | undefined> {
  const inspection = (await foundBefore(run.inspected.get(path), path, run)) ?? (await inspect(database, path, run));
  fill(report, inspection);
  if (inspection.refusal !== null) throw new Stop("refused", inspection.refusal);
  return inspection.conversion.steps.length > 0 ? inspection : undefined;
}

async function inspect(
  database: Database,
  path: string,
  run: Progress & HasSettings & Workers & Inspections,
): Promise<Inspection> {
  const counts = await examine(database, { path, access: "query", shownAs: path }, run);
  return inspectDatabase(database, run.settings, run.askLevels, counts);
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
  const hadRollup = rollupHolds(database);
  const references = brokenReferences(database);
  const working = workingUses(database);
  for (const step of conversion.steps) await runStep(step, database, { path: found.path, stage: "change" }, run);
  const changed = [metrics, inspection.second].flatMap((table) => (table === null ? [] : [table.name]));
  assertReferencesHold(references, database, changed);
  assertStillUsable(database, working);
  await run.stage(found.path, "verify", "comparing with the copy");
  attachBackup(database, backup.path);
  const added = inspection.added?.table ?? null;
  const before = inspection.layout.treatment === "keep" && added === null ? null : metrics;
  const subject = {
    database,
    before,
    second: inspection.second,
    added,
    dropped: conversion.dropped,
    later: false,
    quick: run.settings.verify === "quick",
  };
  const files = { database: found.path, backup: backup.path, tables: inspection.tables };
  const step = { path: found.path, stage: "verify", detail: "comparing rows with the copy" } as const;
  const isByPages = inspection.patterns === null || !isChanged(inspection.patterns);
  report.verification =
    (isByPages ? await proveByPages(subject, files, run) : undefined) ??
    (await run.inPieces(step, proveDatabase(subject)));
  const { differences } = report.verification;
  if (differences.length > 0) throw new Stop("failed", `The proof failed: ${differences.join("; ")}.`);
  if (hadRollup && hasSameRows(report.verification, subject)) keepRollup(database);
}

/** Where rows of patterns change, or may, pages cannot tell. */
function isChanged({ repaired, unreadable }: PatternSurvey): boolean {
  return repaired.length > 0 || unreadable.length > 0;
}

/** The proof compared every value of every row, and no row came or went. */
function hasSameRows(
  { method, rows_before, rows_after, rows_quarantined }: VerificationReport,
  subject: Subject,
): boolean {
  const isWhole = method === "pages" || !subject.quick;
  return isWhole && subject.second === null && rows_before === rows_after && rows_quarantined === 0;
}
