import { statSync } from "node:fs";
import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { newestBackup } from "../databases/backup.ts";
import { dropFieldIndexes } from "../databases/indexes.ts";
import { metricsTableOf } from "../databases/metrics_table.ts";
import type { FoundDatabase } from "../discover/discover.ts";
import { openReadable, type ReadablePlace, readablePlace } from "../inspect/read_copy.ts";
import { readCatalog } from "../recognise/catalog.ts";
import { KNOWN_TABLES, type Layout } from "../recognise/layout.ts";
import { recognise } from "../recognise/recognise.ts";
import { databaseReport } from "../report/new_reports.ts";
import type { DatabaseReport } from "../report/report.ts";
import type { Run } from "../run/run.ts";
import { stopOf } from "../stop.ts";
import { proveDatabase } from "./prove_database.ts";
import { BACKUP_SCHEMA, type Subject } from "./subject.ts";

/** Compares a migrated database with its newest backup. Neither is written to. */
export async function verifyDatabase(found: FoundDatabase, run: Run): Promise<DatabaseReport> {
  const report = databaseReport(found.path, found.bytes);
  await run.stage(found.path, "compare", "comparing every row with the backup");
  let place: ReadablePlace | undefined;
  try {
    place = await readablePlace(found.path, found.wal, run.files);
    await compare(found, place, report, run);
  } catch (error) {
    const stop = stopOf(error, found.path);
    report.status = stop.status;
    report.reason = stop.message;
  } finally {
    place?.remove();
  }
  return report;
}

async function compare(found: FoundDatabase, place: ReadablePlace, report: DatabaseReport, run: Run): Promise<void> {
  const layout = withDatabase(place, found.path, run, layoutOf);
  report.layout = layout.name;
  report.layout_title = layout.title;
  const backup = newestBackup(found.path, run.settings.backupDir);
  if (layout.treatment !== "keep" || backup === undefined) {
    report.status = layout.treatment === "leave" ? "left_alone" : "not_compared";
    report.reason =
      layout.treatment === "keep"
        ? "There is no backup to compare it with."
        : (layout.sentence ?? "It is not migrated yet.");
    return;
  }
  const before = withDatabase({ path: backup }, backup, run, beforeMigration);
  const sha256 = await run.files.hash(backup);
  report.backup = { path: backup, bytes: statSync(backup).size, sha256, reused: false, kept: true };
  report.verification = withDatabase(place, found.path, run, (database) => {
    database.prepare(`ATTACH ? AS ${BACKUP_SCHEMA}`).run(backup);
    return proveDatabase({ ...before, database, later: true });
  });
  report.status = report.verification.differences.length === 0 ? "verified" : "differs";
}

function withDatabase<Result>(
  place: { path: string },
  original: string,
  run: Run,
  use: (database: Database) => Result,
): Result {
  const database = openReadable({ ...place, remove: () => undefined }, original, run.settings.busyTimeoutMs);
  try {
    return use(database);
  } finally {
    database.close();
  }
}

function layoutOf(database: Database): Layout {
  return recognise(readCatalog(database, KNOWN_TABLES));
}

function beforeMigration(database: Database): Pick<Subject, "before" | "dropped"> {
  const catalog = readCatalog(database, KNOWN_TABLES);
  return { before: metricsTableOf(catalog, recognise(catalog)), dropped: dropFieldIndexes(database, catalog).names };
}
