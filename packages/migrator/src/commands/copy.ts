import { existsSync, type Stats, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { FileNotFoundError, ValidationError } from "@perdura/internals/errors/errors.js";
import { withStorage } from "@perdura/internals/files/storage_errors.js";
import { assertNodeItself } from "@perdura/internals/runtime/node_version.js";
import { isAddress, isMistypedAddress, isPostgresAddress } from "@perdura/internals/text/addresses.js";
import type { PostgresTables } from "@perdura/postgres/tables";
import { AFTER_FAILURE, copyFailure } from "../copy/copy_failure.ts";
import type { CopyReport } from "../copy/copy_report.ts";
import { copyRows } from "../copy/copy_rows.ts";
import { withCopyLock } from "../copy/postgres/copy_lock.ts";
import { loadPostgresPackages } from "../copy/postgres/packages.ts";
import { withPostgresSource } from "../copy/postgres/postgres_reader.ts";
import { PostgresTarget } from "../copy/postgres/postgres_target.ts";
import type { Reader, Target } from "../copy/side.ts";
import { type SqlitePlaces, SqliteTarget } from "../copy/sqlite/sqlite_target.ts";
import { assertKnown, assertPath } from "../core/argument_checks.ts";
import type { MigrationOptions } from "../core/options.ts";
import { Stop } from "../core/stop.ts";
import { VERSION } from "../core/version.ts";
import { DATABASE_NAME } from "../find/classify.ts";
import { removeAbandonedCopies } from "../io/readable_database.ts";
import { withSqliteSource } from "./copy_source.ts";
import { exitCodeOf } from "./outcome.ts";
import { Session } from "./session.ts";
import { MIGRATION_OPTIONS, settingsFrom } from "./settings.ts";

/** Options of a migration that a copy does not have, because it changes no file of a pre-16 source. */
const IN_PLACE = ["backup", "backupDir", "fence", "rehearse", "saveReport"] as const;

/** Options of a copy between SQLite and PostgreSQL. */
export interface CopyOptions extends Omit<MigrationOptions, (typeof IN_PLACE)[number]> {
  /**
   * Overwrite rows of the target that differ from the source. Default false: nothing is changed, and they are listed.
   */
  replace?: boolean | undefined;
  /** Only report what would be done. Default false. */
  dryRun?: boolean | undefined;
  /** The schema in PostgreSQL; `perdura` by default. */
  schema?: string | undefined;
  /**
   * Distributes the tables over the workers of a cluster of Citus if they do not exist yet; an address of the
   * coordinator. Existing tables must be distributed, too.
   */
  distributed?: "citus" | undefined;
}

const MIGRATING = MIGRATION_OPTIONS.filter((name) => !(IN_PLACE as readonly string[]).includes(name)) as Exclude<
  keyof MigrationOptions,
  (typeof IN_PLACE)[number]
>[];

/**
 * Copies patterns and metrics from SQLite to PostgreSQL, or from PostgreSQL to SQLite, and compares both sides row by
 * row at the end. Existing equal rows are not copied again; the next run completes an interrupted one.
 *
 * @param source A database, a directory with `patterns.db` or `metrics.db`, or an address that begins `postgres://`. A
 *   database in a pre-16 layout is migrated on a private copy first.
 * @param target The same; an address if the source is a path.
 * @throws ValidationError for a wrong argument; FileNotFoundError if the source does not exist; MissingPackageError if
 *   the packages for PostgreSQL are not installed.
 */
export async function copyData(source: string, target: string, options: CopyOptions = {}): Promise<CopyReport> {
  assertNodeItself();
  assertPlaces(source, target);
  assertKnown("copyData", options, ["replace", "dryRun", "schema", "distributed", ...MIGRATING]);
  const { replace = false, dryRun = false, schema, distributed } = options;
  const migrating = Object.fromEntries(MIGRATING.map((name) => [name, options[name]]));
  const run = new Session(settingsFrom({ ...migrating, dryRun, backup: false }));
  const report = newReport(source, target, dryRun);
  let tables: PostgresTables | undefined;
  try {
    removeAbandonedCopies(run);
    const packages = await loadPostgresPackages();
    // Before any connection to the server.
    const files = isPostgresAddress(source) ? [] : sourceFiles(source);
    const opened = (tables = packages.open(isPostgresAddress(source) ? source : target, {
      schema,
      distributed,
      busyTimeoutMs: run.settings.busyTimeoutMs,
    }));
    report[isPostgresAddress(source) ? "source" : "target"] = opened.place;
    const copyTo = async (reader: Reader, into: Target): Promise<void> => {
      try {
        const { status, summary } = await copyRows({ source: reader, target: into, replace, dryRun, run }, report);
        Object.assign(report, { exit_code: exitCodeOf([status]), summary } satisfies Partial<CopyReport>);
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
      // Reads the source after all other copies have ended: rows that they copied are then not newer than the source's.
      await (dryRun ? copy() : withCopyLock(opened, schema ?? "perdura", run, copy)).finally(() => opened.close());
    }
  } catch (error) {
    if (run.callbackErrors.length > 0) throw run.callbackErrors[0];
    const sqlite = resolve(isPostgresAddress(source) ? target : source);
    const failure = tables === undefined ? error : copyFailure(error, tables, sqlite, report.tables.length > 0);
    if (!(failure instanceof Stop)) throw failure;
    report.exit_code = exitCodeOf([failure.status]);
    report.summary = failure.status === "interrupted" ? `Interrupted. ${AFTER_FAILURE}` : failure.message;
  } finally {
    run[Symbol.dispose]();
  }
  report.finished_at = new Date().toISOString();
  return report;
}

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
    exit_code: exitCodeOf([]),
    summary: "",
    tables: [],
    declared_keys: null,
    faults: [],
    verified: false,
  };
}

/** @throws ValidationError unless one is an address and the other a path. */
function assertPlaces(source: unknown, target: unknown): asserts source is string {
  const expected = "a path, or an address that begins postgres://";
  assertPath("source", source, expected);
  assertPath("target", target, expected);
  assertNoOtherAddress("source", source);
  assertNoOtherAddress("target", target);
  if (isPostgresAddress(source) !== isPostgresAddress(target)) return;
  throw new ValidationError(
    `copy: expected one path and one address that begins postgres://, got two ${isPostgresAddress(source) ? "addresses" : "paths"}. Nothing was changed.`,
  );
}

/** As a path it would be shown in the report, including a password in it. */
function assertNoOtherAddress(name: string, place: string): void {
  if (isPostgresAddress(place) || !(isAddress(place) || isMistypedAddress(place))) return;
  throw new ValidationError(
    `expected a path, or an address that begins postgres://, got an address of another kind or a mistyped address. It is not shown, because it may contain a password. Nothing was changed.`,
    { argument: name },
  );
}

/** The databases of a source. */
function sourceFiles(source: string): string[] {
  const found = whatIs(source);
  if (found === undefined)
    throw new FileNotFoundError("no such file or directory. Nothing was changed.", {
      subject: source,
      path: resolve(source),
    });
  if (!found.isDirectory()) return [source];
  const files = ["patterns.db", "metrics.db"].map((name) => join(source, name)).filter((path) => existsSync(path));
  if (files.length > 0) return files;
  throw new FileNotFoundError("contains neither patterns.db nor metrics.db. Nothing was changed.", {
    subject: source,
    path: resolve(source),
  });
}

/**
 * A directory gets `patterns.db` and `metrics.db`; an existing file, or a name like that of a database, means one
 * database.
 */
function targetPlaces(target: string): SqlitePlaces {
  const shown = resolve(target);
  const found = whatIs(target);
  const isFile = found === undefined ? DATABASE_NAME.test(target) && !/[\\/]$/.test(target) : !found.isDirectory();
  return isFile
    ? { shown, patterns: shown, metrics: shown }
    : { shown, patterns: join(shown, "patterns.db"), metrics: join(shown, "metrics.db") };
}

/** For some names, such as one that is too long, `stat` fails. */
function whatIs(path: string): Stats | undefined {
  return withStorage(path, "reading", () => statSync(path, { throwIfNoEntry: false }));
}
