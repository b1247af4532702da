import { resolve } from "node:path";
import { ValidationError } from "@perdura/internals/errors/errors.js";
import { assertNodeItself } from "@perdura/internals/runtime/node_version.js";
import { isAddress, isMistypedAddress } from "@perdura/internals/text/addresses.js";
import { assertPath, wrongArgument } from "../core/argument_checks.ts";
import type { Discovery } from "../core/discovery.ts";
import type { AnyOptions, Settings } from "../core/options.ts";
import type { MigrationReport } from "../core/report.ts";
import { Stop } from "../core/stop.ts";
import { VERSION } from "../core/version.ts";
import { discover } from "../find/discover.ts";
import { findNamedBackups } from "../find/named_backups.ts";
import { userLevelsOf } from "../find/state_directory.ts";
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
