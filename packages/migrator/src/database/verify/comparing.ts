import { statSync } from "node:fs";
import type { Database } from "@perdura/internals/sqlite/open_database.js";
import type { FoundDatabase } from "../../core/discovery.ts";
import type { HasSettings } from "../../core/options.ts";
import type { InPieces, Progress } from "../../core/progress.ts";
import type { DatabaseReport, VerificationReport } from "../../core/report.ts";
import type { Workers } from "../../io/child/workers.ts";
import { openReadable, type ReadablePlace } from "../../io/readable_database.ts";

/** A database that is compared with copies of it. */
export interface Comparing {
  found: FoundDatabase;
  /** The path that is read: the database, or a private copy of it. */
  place: ReadablePlace;
  report: DatabaseReport;
  run: Progress & HasSettings & Workers;
}

/** Result of a comparison. */
interface Compared {
  verification: VerificationReport;
  notes: readonly string[];
}

/** Puts the copy that a database is compared with into its report. */
export async function reportCopy({ report, run }: Comparing, copy: string): Promise<void> {
  const sha256 = await run.files.hash(copy);
  report.backup = { path: copy, bytes: statSync(copy).size, sha256, reused: false, kept: true };
}

/** Compares every row, and puts the result into the report. */
export async function compareRows(
  { found: { path }, place, report, run }: Comparing,
  copies: "the backup" | "the backups",
  prove: (database: Database) => InPieces<Compared>,
): Promise<void> {
  const database = openReadable(place, path, run.settings.busyTimeoutMs);
  try {
    const step = { path, stage: "compare", detail: `comparing every row with ${copies}` } as const;
    const { verification, notes } = await run.inPieces(step, prove(database));
    report.verification = verification;
    report.notes.push(...notes);
    report.status = verification.differences.length === 0 ? "verified" : "differs";
  } finally {
    database.close();
  }
}
