import { statSync } from "node:fs";
import { type Database, openDatabase } from "@perdura/internals/sqlite/open_database.js";
import type { FoundDatabase } from "../discover/discover.ts";
import { type Inspection, inspectDatabase } from "../inspect/inspect_database.ts";
import { fill } from "../inspect/plan_database.ts";
import { proveDatabase } from "../proof/prove_database.ts";
import { BACKUP_SCHEMA } from "../proof/subject.ts";
import type { DatabaseReport } from "../report/report.ts";
import type { Run } from "../run/run.ts";
import { Stop, stopOf } from "../stop.ts";
import { concludeMigrated, lookAgain } from "./after_commit.ts";
import { type Backup, makeBackup, removeCopy } from "./backup.ts";
import { assertReferencesHold, brokenReferences } from "./foreign_keys.ts";
import { assertStillUsable, workingUses } from "./own_objects.ts";

/**
 * Migrates one database in place, in one transaction: locked against writers, copied, changed, proved against the copy,
 * committed. Whatever happens before the commit leaves it as it was; SQLite's journal sees to that even after a kill.
 */
export async function migrateDatabase(found: FoundDatabase, report: DatabaseReport, run: Run): Promise<void> {
  const attempt = { committing: false };
  try {
    const database = openDatabase(found.path, {
      access: "existing",
      busyTimeoutMs: run.settings.busyTimeoutMs,
    });
    try {
      await changeInTransaction(database, found, report, run, attempt);
    } finally {
      database.close();
    }
    if (report.status === "not_started") concludeMigrated(report);
  } catch (error) {
    const stop = stopOf(error, found.path);
    if (attempt.committing) return lookAgain(report, stop, run);
    report.status = stop.status;
    report.reason = stop.status === "failed" ? `${stop.message} The database is as it was.` : stop.message;
  }
}

async function changeInTransaction(
  database: Database,
  found: FoundDatabase,
  report: DatabaseReport,
  run: Run,
  attempt: { committing: boolean },
): Promise<void> {
  // A change of the table must not cascade into others; cannot be switched inside a transaction.
  database.pragma("foreign_keys = OFF");
  await run.stage(found.path, "lock", "waiting for other users of the database");
  // IMMEDIATE takes the write lock now, so that the copy, the change and the proof see one state.
  database.exec("BEGIN IMMEDIATE");
  let backup: Backup | undefined;
  try {
    const inspection = inspectAgain(database, report, run);
    if (inspection === undefined) return void database.exec("ROLLBACK");
    await run.stage(
      found.path,
      "backup",
      run.settings.backup ? "copying the database" : "copying the database for the proof",
    );
    backup = await makeBackup(found.path, database.pragma("journal_mode", { simple: true }) === "wal", run);
    // In its own process, at the same time as the change. Looked at below; unhandled it would end the program.
    const hash = run.files.hash(backup.path).then(
      (sha256) => ({ sha256 }),
      (error: unknown) => ({ error }),
    );
    await change(database, inspection, backup, found, report, run);
    const hashed = await hash;
    if ("error" in hashed) throw hashed.error;
    report.backup = {
      path: backup.path,
      bytes: statSync(backup.path).size,
      sha256: hashed.sha256,
      reused: backup.reused,
      kept: backup.kept,
    };
    await run.stage(found.path, "commit", "committing");
    attempt.committing = true;
    database.exec("COMMIT");
  } finally {
    if (database.inTransaction) database.exec("ROLLBACK");
    if (backup?.kept === false) removeCopy(backup.path);
  }
}

/** The lock is ours now: what the plan saw may have changed since. Undefined when another process migrated it meanwhile. */
function inspectAgain(database: Database, report: DatabaseReport, run: Run): Inspection | undefined {
  const inspection = inspectDatabase(database, run.settings);
  fill(report, inspection);
  if (inspection.refusal !== null) throw new Stop("refused", inspection.refusal);
  if (inspection.conversion.steps.length > 0) return inspection;
  report.status = "nothing_to_do";
  return undefined;
}

async function change(
  database: Database,
  inspection: Inspection,
  backup: Backup,
  found: FoundDatabase,
  report: DatabaseReport,
  run: Run,
): Promise<void> {
  const { conversion, metrics } = inspection;
  const references = brokenReferences(database);
  const working = workingUses(database);
  for (const step of conversion.steps) {
    await run.stage(found.path, "change", step.title);
    step.run(database);
  }
  assertReferencesHold(references, database);
  assertStillUsable(database, working);
  await run.stage(found.path, "verify", "comparing every row with the copy");
  database.prepare(`ATTACH ? AS ${BACKUP_SCHEMA}`).run(backup.path);
  const before = inspection.layout.treatment === "keep" ? null : metrics;
  report.verification = proveDatabase({ database, before, dropped: conversion.dropped, later: false });
  const { differences } = report.verification;
  if (differences.length > 0) throw new Stop("failed", `The proof failed: ${differences.join("; ")}.`);
}
