import { resolve } from "node:path";
import { countText, sizeText } from "@perdura/cli/quantities.js";
import { EXIT } from "@perdura/cli/exit_codes.js";
import { assertNodeItself } from "@perdura/internals/runtime/node_version.js";
import type { LevelColumn } from "@perdura/internals/metrics/schema.js";
import type { Discovery } from "../core/discovery.ts";
import {
  type MaintainedDatabase,
  maintainedDatabase,
  type MaintainedStates,
  type MaintenanceReport,
  type MaintenanceStatus,
} from "../core/maintenance_report.ts";
import type { AnyOptions } from "../core/options.ts";
import { Stop, stopOf } from "../core/stop.ts";
import { VERSION } from "../core/version.ts";
import { collectedLine } from "../database/maintenance/collected_line.ts";
import { discover } from "../find/discover.ts";
import { exitCodeOf } from "./outcome.ts";
import { targetsFrom } from "./run_command.ts";
import { Session } from "./session.ts";
import { settingsFrom } from "./settings.ts";

/** A database of either line, with its part of the report. */
export interface CollectedDatabase {
  item: MaintainedDatabase;
  levelColumn: LevelColumn;
}

type Work = (
  run: Session,
  databases: readonly CollectedDatabase[],
  report: MaintenanceReport,
  discovery: Discovery,
) => Promise<void>;

/**
 * Common part of the commands that work on databases of both lines in steps: searches the targets, runs the work, and
 * concludes the report. What was done before an interruption stays.
 */
export async function runMaintenance(
  command: MaintenanceReport["command"],
  targets: string | readonly string[],
  options: AnyOptions,
  work: Work,
): Promise<MaintenanceReport> {
  const list = targetsFrom(targets);
  return runReported(
    command,
    list.map((target) => resolve(target)),
    options,
    async (run, report) => {
      await run.stage(report.targets[0] as string, "discover", "searching");
      const discovery = await discover(list, run);
      report.refused = discovery.refused;
      const databases: CollectedDatabase[] = [];
      for (const found of discovery.databases) {
        const item = maintainedDatabase(found.path, found.bytes);
        report.databases.push(item);
        const levelColumn = collectedLine(found, item, run);
        if (levelColumn !== undefined) databases.push({ item, levelColumn });
      }
      await work(run, databases, report, discovery);
    },
  );
}

/** Runs work that fills a report, and concludes it. */
export async function runReported(
  command: MaintenanceReport["command"],
  targets: string[],
  options: AnyOptions,
  work: (run: Session, report: MaintenanceReport) => Promise<void>,
): Promise<MaintenanceReport> {
  assertNodeItself();
  const run = new Session(settingsFrom(options));
  const report = newReport(command, targets, run.settings.dryRun);
  try {
    await work(run, report);
  } catch (error) {
    if (!(error instanceof Stop && error.status === "interrupted")) throw error;
    report.exit_code = EXIT.interrupted;
  } finally {
    run[Symbol.dispose]();
  }
  if (run.callbackErrors.length > 0) throw run.callbackErrors[0];
  report.notes.push(...run.notRemoved);
  conclude(report);
  report.finished_at = new Date().toISOString();
  return report;
}

/**
 * Works on the items one by one. A failure ends the work on its item; an interruption ends all work.
 *
 * @param work Returns true if it did something.
 */
export async function onEach<Item extends MaintainedDatabase | MaintainedStates, Part extends { item: Item }>(
  parts: readonly Part[],
  work: (part: Part) => boolean | Promise<boolean>,
): Promise<void> {
  for (const part of parts) {
    const { item } = part;
    try {
      item.status = (await work(part)) ? "done" : "nothing_to_do";
    } catch (error) {
      const stop = stopOf(error, item.path);
      item.status = stop.status;
      if (stop.status === "interrupted") return;
      item.reason = stop.message;
    }
  }
}

function newReport(command: MaintenanceReport["command"], targets: string[], dryRun: boolean): MaintenanceReport {
  return {
    format: "perdura-maintenance-report",
    format_version: 1,
    command,
    erase: false,
    dry_run: dryRun,
    tool_version: VERSION,
    started_at: new Date().toISOString(),
    finished_at: "",
    targets,
    exit_code: EXIT.done,
    summary: "",
    databases: [],
    state_directories: [],
    not_reached: [],
    refused: [],
    notes: [],
  };
}

/** Sets exit code and summary from the statuses of the items. */
export function conclude(report: MaintenanceReport): void {
  const { databases, state_directories: directories, refused } = report;
  const statuses = [
    ...[...databases, ...directories].map(({ status }) => status),
    ...refused.map(() => "refused" as const),
  ];
  if (report.exit_code === EXIT.done) report.exit_code = exitCodeOf(statuses);
  const count = (wanted: MaintainedDatabase["status"]): number => statuses.filter((status) => status === wanted).length;
  const troubles = (["refused", "in_use", "failed", "not_started"] as const).flatMap((status) =>
    count(status) === 0 ? [] : [`${count(status)} ${WORDS[status]}`],
  );
  const parts = [SUMMARIES[report.command](report), ...troubles].join("; ");
  report.summary =
    report.exit_code === EXIT.interrupted
      ? `Interrupted: ${parts}. Run ${report.command}${report.erase ? " --erase" : ""} again to continue.`
      : `${parts}.`;
}

const WORDS = {
  refused: "needing a decision",
  in_use: "in use",
  failed: "failed",
  not_started: "not started",
} as const;

const FINISHED: ReadonlySet<MaintenanceStatus> = new Set(["done", "nothing_to_do", "left_alone"]);

const SUMMARIES: Record<MaintenanceReport["command"], (report: MaintenanceReport) => string> = {
  sums: ({ databases }) => {
    const summed = databases.reduce((sum, item) => sum + item.summed, 0);
    return summed === 0 ? "No sums were missing" : `${countText(summed, "interaction")} added to the sums`;
  },
  compact: ({ databases }) => {
    const saved = databases.reduce(
      (sum, { bytes, bytes_after: after }) => sum + (after === null ? 0 : (bytes ?? 0) - after),
      0,
    );
    return `${sizeText(Math.max(0, saved))} given back to the disk`;
  },
  forget: ({ databases, state_directories: directories, not_reached: files, dry_run: dry, erase }) => {
    const sum = (of: (item: MaintainedDatabase) => number): number =>
      databases.reduce((total, item) => total + of(item), 0);
    const states = directories.reduce((total, item) => total + item.states, 0);
    const interactions = sum((item) => item.interactions);
    const metadata = sum((item) => item.metadata);
    const uses = sum((item) => item.usage_rows);
    const parts = [
      uses > 0
        ? countText(uses, "use of patterns", "uses of patterns")
        : interactions === 0 && metadata > 0
          ? `${countText(metadata, "metadata text")} without an interaction`
          : countText(interactions, "interaction"),
      ...(states === 0 ? [] : [countText(states, "state")]),
    ];
    const tables = databases.reduce((total, { kept_tables: kept }) => total + kept.length, 0);
    const others = [
      ...(files.length === 0 ? [] : [countText(files.length, "file")]),
      ...(tables === 0 ? [] : [countText(tables, "table")]),
    ].join(" and ");
    const notReached = others === "" ? "" : `; ${others} not reached`;
    if (dry)
      return `Nothing was changed. Found ${parts.join(" and ")} to ${erase ? "delete and erase" : "delete"}${notReached}`;
    const isErased = [...databases, ...directories].every(({ status }) => FINISHED.has(status));
    return `${parts.join(" and ")} deleted${!erase ? "" : isErased ? " and erased" : ", not all erased"}${notReached}`;
  },
};
