import type { Workers } from "../../io/child/workers.ts";
import type { Cleanup, HasSettings, Progress } from "../../core/run.ts";
import type { EarlyCopies } from "../../io/early_copy.ts";
import { keepRollup, rollupHolds } from "@perdura/internals/metrics/rollup/handover.js";
import type { Database } from "@perdura/internals/sqlite/open_database.js";
import type { Backup } from "../../io/backup.ts";
import { backupsOf } from "../../io/copy_database.ts";
import { changeInPlace } from "../change_in_place.ts";
import { assertStillUsable, workingUses } from "../forward/own_objects.ts";
import { runStep } from "../step.ts";
import type { FoundDatabase } from "../../core/discovery.ts";
import { foundBefore } from "../inspect/inspections.ts";
import { readRecords } from "../record/migration_record.ts";
import type { DatabaseReport } from "../../core/report.ts";
import { Stop } from "../../core/stop.ts";
import { fillReversion, inspectReversion, type Reversions } from "./plan_reversion.ts";
import { notesOnOriginal, proveReversion } from "./prove/prove_reversion.ts";
import { assertReferencesKept, noteReferences } from "./references.ts";
import type { Reversion } from "./reversion.ts";

/** Brings one database back to what it was before its migrations, in place and in one transaction. */
export function revertDatabase(
  found: FoundDatabase,
  report: DatabaseReport,
  run: Progress & HasSettings & Workers & Cleanup & EarlyCopies & Reversions,
): Promise<void> {
  return changeInPlace(found, report, run, {
    done: "reverted",
    line: "v16",
    inspect: (database) => inspectAgain(database, found, report, run),
    make: (database, reversion, backup) => revert(database, reversion, backup, found, report, run),
    isDone: (database) => readRecords(database).length === 0,
  });
}

/** The lock is ours now: what the plan saw may have changed since. Undefined when another process reverted it meanwhile. */
async function inspectAgain(
  database: Database,
  { path }: FoundDatabase,
  report: DatabaseReport,
  run: Workers & Reversions,
): Promise<Reversion | undefined> {
  const inspection = (await foundBefore(run.reversions.get(path), path, run)) ?? inspectReversion(database);
  fillReversion(report, inspection);
  if (inspection.refusal !== null) throw new Stop("refused", inspection.refusal);
  return inspection.reversion;
}

async function revert(
  database: Database,
  reversion: Reversion,
  backup: Backup,
  found: FoundDatabase,
  report: DatabaseReport,
  run: Progress & HasSettings,
): Promise<void> {
  const hadRollup = rollupHolds(database);
  const working = workingUses(database);
  const references = noteReferences(database, reversion);
  for (const step of reversion.steps) await runStep(step, database, { path: found.path, stage: "revert" }, run);
  assertReferencesKept(references, database, reversion);
  assertStillUsable(database, working);
  await runStep(reversion.finish, database, { path: found.path, stage: "revert" }, run);
  await run.stage(found.path, "verify", "comparing every row with the copy");
  const { verification, original } = await run.inPieces(
    { path: found.path, stage: "verify", detail: "comparing rows with the copy" },
    proveReversion(database, reversion, {
      copy: backup.path,
      originals: backupsOf(found.path, run.settings.backupDir),
      later: false,
    }),
  );
  report.verification = verification;
  const { differences } = verification;
  if (differences.length > 0) throw new Stop("failed", `The proof failed: ${differences.join("; ")}.`);
  const { rows_before, rows_after, rows_quarantined } = verification;
  // Then all rows are what they were, and lie in one table.
  if (
    hadRollup &&
    reversion.form.second === null &&
    reversion.added === null &&
    rows_before === rows_after &&
    rows_quarantined === 0
  )
    keepRollup(database);
  report.notes.push(...notesOnOriginal(original));
}
