import { resolve } from "node:path";
import { isPostgresAddress } from "@perdura/internals/text/addresses.js";
import { assertSupportedNode } from "@perdura/internals/sqlite/runtime.js";
import type { PostgresTables } from "@perdura/postgres/tables";
import { assertKnown } from "../core/argument_checks.ts";
import { removeAbandonedCopies } from "../io/readable_database.ts";
import type { MigrationOptions } from "../core/options.ts";
import { Session } from "../run/session.ts";
import { settingsFrom } from "../settings.ts";
import { Stop, type StopStatus } from "../core/stop.ts";
import { VERSION } from "../core/version.ts";
import { copyFailure } from "./copy_failure.ts";
import type { CopyReport } from "./copy_report.ts";
import { copyRows } from "./copy_rows.ts";
import { oneCopyAtATime } from "./postgres/one_copy_at_a_time.ts";
import { loadPostgresPackages } from "./postgres/packages.ts";
import { assertPlaces, sourceFiles, targetPlaces } from "./places.ts";
import { withPostgresSource } from "./postgres/postgres_reader.ts";
import { PostgresTarget } from "./postgres/postgres_target.ts";
import type { Reader, Target } from "./side.ts";
import { withSqliteSource } from "./sqlite_source.ts";
import { SqliteTarget } from "./sqlite/sqlite_target.ts";

/** How data are copied between SQLite and PostgreSQL. */
export interface CopyOptions extends Pick<
  MigrationOptions,
  | "invalidRows"
  | "nonFinite"
  | "timestamps"
  | "missingLevel"
  | "stateDirectories"
  | "busyTimeoutMs"
  | "onProgress"
  | "signal"
> {
  /** Where rows of the target differ, the source wins. Default false: nothing is changed, and they are listed. */
  replace?: boolean | undefined;
  /** Only say what would be done. Default false. */
  dryRun?: boolean | undefined;
  /** The schema in PostgreSQL; `perdura` by default. */
  schema?: string | undefined;
}

const MIGRATING = [
  "invalidRows",
  "nonFinite",
  "timestamps",
  "missingLevel",
  "stateDirectories",
  "busyTimeoutMs",
  "onProgress",
  "signal",
] as const;

/**
 * Copies patterns and metrics from SQLite to PostgreSQL, or from PostgreSQL to SQLite, and compares both sides row by row
 * at the end. Rows that are there and equal are not copied again; a run that was cut off is finished by the next.
 *
 * @param source A database, a directory with `patterns.db` or `metrics.db`, or an address that begins `postgres://`. What is
 *   in a layout of before 16 is migrated on a private copy first.
 * @param target The same; where the source is no address, an address.
 * @throws ValidationError for a wrong argument; FileNotFoundError where the source is not there; MissingPackageError where
 *   the packages for PostgreSQL are not installed.
 */
export async function copyData(source: string, target: string, options: CopyOptions = {}): Promise<CopyReport> {
  assertSupportedNode();
  assertPlaces(source, target);
  assertKnown("copyData", options, ["replace", "dryRun", "schema", ...MIGRATING]);
  const { replace = false, dryRun = false, schema } = options;
  const migrating = Object.fromEntries(MIGRATING.map((name) => [name, options[name]]));
  const run = new Session(settingsFrom({ ...migrating, dryRun, backup: false }));
  const report = newReport(source, target, dryRun);
  let tables: PostgresTables | undefined;
  try {
    removeAbandonedCopies(run);
    const packages = await loadPostgresPackages();
    // Before anything is asked of the server.
    const files = isPostgresAddress(source) ? [] : sourceFiles(source);
    const opened = (tables = packages.open(isPostgresAddress(source) ? source : target, {
      schema,
      busyTimeoutMs: run.settings.busyTimeoutMs,
    }));
    report[isPostgresAddress(source) ? "source" : "target"] = opened.place;
    const copyTo = async (reader: Reader, into: Target): Promise<void> => {
      try {
        await copyRows({ source: reader, target: into, replace, dryRun, run }, report);
      } finally {
        await into.close();
      }
    };
    if (isPostgresAddress(source))
      await withPostgresSource(opened, (reader) =>
        copyTo(reader, new SqliteTarget(targetPlaces(target), run.settings.busyTimeoutMs)),
      );
    else {
      const copy = (): Promise<void> =>
        withSqliteSource(source, files, run, async (reader, migrated) => {
          report.migrated = [...migrated];
          await copyTo(reader, new PostgresTarget(opened, packages.copyFrom));
        });
      // The source is read when nobody else copies any more: what they copied is not newer then.
      await (dryRun ? copy() : oneCopyAtATime(opened, schema ?? "perdura", run, copy)).finally(() => opened.close());
    }
  } catch (error) {
    if (run.thrown.length > 0) throw run.thrown[0];
    const sqlite = resolve(isPostgresAddress(source) ? target : source);
    const failure = tables === undefined ? error : copyFailure(error, tables, sqlite, report.tables.length > 0);
    if (!(failure instanceof Stop)) throw failure;
    report.exit_code = CODES[failure.status];
    report.summary =
      failure.status === "interrupted"
        ? "Interrupted. What was copied stays; run it again to finish."
        : failure.message;
  } finally {
    run[Symbol.dispose]();
  }
  report.finished_at = new Date().toISOString();
  return report;
}

const CODES: Record<StopStatus, CopyReport["exit_code"]> = { refused: 3, in_use: 5, failed: 1, interrupted: 130 };

function newReport(source: string, target: string, dryRun: boolean): CopyReport {
  return {
    format: "perdura-copy-report",
    format_version: 1,
    command: "copy",
    dry_run: dryRun,
    tool_version: VERSION,
    started_at: new Date().toISOString(),
    finished_at: "",
    source,
    target,
    migrated: [],
    exit_code: 0,
    summary: "",
    tables: [],
    faults: [],
    verified: false,
  };
}
