import { type Dirent, existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { CommonAccess } from "@perdura/internals/files/common_access.js";
import { ValidationError } from "@perdura/internals/errors/errors.js";
import { writeFileAtomically } from "@perdura/internals/files/atomic_write.js";
import { isAbandoned, TEMPORARY_SUFFIX } from "@perdura/internals/files/temporary_names.js";
import { assertNodeItself } from "@perdura/internals/runtime/node_version.js";
import { isAddress, isMistypedAddress } from "@perdura/internals/text/addresses.js";
import { finishLeftovers } from "../archive/prune/leftovers.ts";
import { assertPath, wrongArgument } from "../core/argument_checks.ts";
import type { Discovery } from "../core/discovery.ts";
import type { AnyOptions, HasSettings, Settings } from "../core/options.ts";
import type { Cleanup, Progress } from "../core/progress.ts";
import type { MigrationReport } from "../core/report.ts";
import { Stop } from "../core/stop.ts";
import { VERSION } from "../core/version.ts";
import { discover } from "../find/discover.ts";
import { findNamedBackups } from "../find/named_backups.ts";
import { userLevelsOf } from "../find/state_directory.ts";
import { entriesIn } from "../io/entries.ts";
import { REPORT_NAME } from "../io/own_files.ts";
import { freeName } from "../io/placing.ts";
import { removeAbandonedCopies } from "../io/readable_database.ts";
import { conclude, concludeInterrupted, concludeRemovals, exitCodeOf } from "./outcome.ts";
import { Session } from "./session.ts";
import { assertOptionsOf, settingsFrom } from "./settings.ts";

/** Work of a command on all items that were found. */
type Work = (run: Session, discovery: Discovery, report: MigrationReport) => Promise<void>;

/** Common part of all commands: checks the arguments, searches the targets, runs the work, concludes the report. */
export async function runCommand(
  command: MigrationReport["command"],
  targets: string | readonly string[],
  options: AnyOptions | undefined,
  work: Work,
): Promise<MigrationReport> {
  assertNodeItself();
  const list = targetsFrom(targets);
  assertOptionsOf(command, options);
  const run = new Session(settingsFrom(options));
  const report = newReport(command, list, run.settings);
  try {
    removeAbandonedCopies(run);
    await run.stage(report.targets[0] as string, "discover", "searching");
    const named = command === "verify" || command === "status" ? findNamedBackups(list) : undefined;
    const discovery = await discover(named?.targets ?? list, run, named);
    run.askLevels = userLevelsOf(discovery, run.settings.backupDir);
    report.left_alone = discovery.leftAlone;
    report.refused = discovery.refused;
    await work(run, discovery, report);
    conclude(report);
  } catch (error) {
    if (run.callbackErrors.length > 0) throw run.callbackErrors[0];
    if (!(error instanceof Stop && error.status === "interrupted")) throw error;
    concludeInterrupted(report);
  } finally {
    run[Symbol.dispose]();
  }
  if (run.callbackErrors.length > 0) throw run.callbackErrors[0];
  concludeRemovals(report, run.notRemoved);
  report.finished_at = new Date().toISOString();
  return report;
}

/** @throws ValidationError for an invalid target. */
export function targetsFrom(targets: string | readonly string[]): readonly string[] {
  const expected = "the path of a file or directory, or an array of one or more";
  const list: unknown = typeof targets === "string" ? [targets] : targets;
  if (!Array.isArray(list) || list.length === 0) throw wrongArgument("targets", expected, targets);
  return Array.from(list as readonly unknown[], (target) => {
    assertPath("targets", target, expected);
    // As a path it would be shown, including a password in it.
    if (isAddress(target) || isMistypedAddress(target))
      throw new ValidationError(
        "expected paths, got the address of a server. It is not shown, because it may contain a password. Nothing was changed. copyData and verifyServers accept addresses that begin postgres://.",
        { argument: "targets" },
      );
    return target;
  });
}

function newReport(
  command: MigrationReport["command"],
  targets: readonly string[],
  { rehearse, dryRun }: Settings,
): MigrationReport {
  return {
    format: "perdura-migration-report",
    format_version: 1,
    command,
    rehearsal: command === "up" && rehearse,
    dry_run: command === "down" || command === "prune" ? dryRun : command !== "up",
    tool_version: VERSION,
    started_at: new Date().toISOString(),
    finished_at: "",
    targets: targets.map((target) => resolve(target)),
    exit_code: exitCodeOf([]),
    summary: "",
    databases: [],
    state_directories: [],
    left_alone: [],
    refused: [],
    notes: [],
    report_path: null,
  };
}

/** Saves a report, or notes the failure in it: the outcome for the data does not change. */
export function trySaveReport(report: MigrationReport, directory: string): void {
  try {
    saveReport(report, directory);
  } catch (error) {
    report.report_path = null;
    report.notes.push(`Cannot save the report: ${(error as Error).message}`);
  }
}

/**
 * Saves a report next to the data under the first free name: `perdura-migration-report.json`, then `…-2.json` and so
 * on. It contains values of rows and ids of users, so it is readable only for users who may read all of the data, and
 * it has the owner of the data.
 */
function saveReport(report: MigrationReport, directory: string): void {
  report.report_path = freeName((number) => reportPath(directory, number));
  report.finished_at = new Date().toISOString();
  const readers = new CommonAccess();
  for (const { path } of report.databases) readers.addPath(path);
  // Users who may read all states may read their archive, also after the directory was removed.
  for (const { path, archive } of report.state_directories)
    readers.addPath(archive !== null && existsSync(archive.path) ? archive.path : path);
  writeFileAtomically(report.report_path, (write) => write(`${JSON.stringify(report, null, 2)}\n`), {
    access: readers.get(),
  });
}

function reportPath(directory: string, number: number): string {
  return join(directory, `${REPORT_NAME}${number === 1 ? "" : `-${number}`}.json`);
}

/**
 * Removes the remains of killed runs.
 *
 * @returns State directories that were renamed back.
 */
export async function tidy(discovery: Discovery, run: Progress & HasSettings & Cleanup): Promise<string[]> {
  const places = placesOf(discovery, run);
  for (const place of places) removeUnfinished(place, run);
  return finishLeftovers(places, run);
}

/** Directories in which a killed run may have written. */
function placesOf({ databases, stateDirectories, leftovers, home }: Discovery, { settings }: HasSettings): Set<string> {
  const besides = [...databases.map(({ path }) => path), ...stateDirectories, ...leftovers].map((path) =>
    dirname(path),
  );
  return new Set([home, ...besides, ...(settings.backupDir === null ? [] : [settings.backupDir])]);
}

const SIDE_FILE = /-(?:journal|wal|shm)$/;

/** Removes the remains of a killed run in a directory: temporary copies, and SQLite's files next to them. */
function removeUnfinished(directory: string, run: Cleanup): void {
  const names: string[] = [];
  for (const entry of entriesIn(directory)) if (isOurs(entry)) names.push(entry.name);
  for (const name of names) {
    const copy = name.replace(SIDE_FILE, "");
    if (isAbandoned(join(directory, name), copy)) run.discard(join(directory, copy));
  }
}

/** Directories need `finishLeftovers`, which reads them first. */
function isOurs(entry: Dirent): boolean {
  return !entry.isDirectory() && entry.name.includes(TEMPORARY_SUFFIX);
}
