import { basename } from "node:path";
import { EXIT } from "@perdura/cli/exit_codes.js";
import { has, valueOf } from "@perdura/cli/option_table.js";
import { countText, numberText, sizeText } from "@perdura/cli/quantities.js";
import type { Result, Runner, Tools } from "@perdura/cli/run_program.js";
import { shownPath, shownText } from "@perdura/cli/shown_paths.js";
import { type Paint, paintFor, printable } from "@perdura/cli/terminal.js";
import { isPostgresAddress } from "@perdura/internals/text/addresses.js";
import { compactDatabases } from "../commands/compact.ts";
import { forgetIfConfirmed } from "../commands/forget.ts";
import { ownKind } from "../io/own_files.ts";
import { makeSums } from "../commands/sums.ts";
import type {
  MaintainedDatabase,
  MaintainedStates,
  MaintenanceReport,
  MaintenanceStatus,
} from "../core/maintenance_report.ts";
import { chooseTemporaryDirectory } from "../io/temporary_space.ts";
import { assertConfirmable, needsAnswer, showAndAsk } from "./confirm.ts";
import { migrationOptions } from "./migration_options.ts";
import { atMost, heading, reasonLines, showPaths } from "./render/heading.ts";
import type { Command, OptionName } from "./table.ts";

type MaintenanceRunner = Runner<Command, OptionName>;

export const sums: MaintenanceRunner = async (given, tools) => {
  chooseTemporaryDirectory(given.words);
  return resultOf(await makeSums(given.words, { onProgress: tools.progress.print, signal: tools.signal }), tools);
};

export const compact: MaintenanceRunner = async (given, tools) => {
  chooseTemporaryDirectory(given.words);
  const options = { onProgress: tools.progress.print, signal: tools.signal };
  return resultOf(await compactDatabases(given.words, options), tools);
};

/** Its deletions cannot be undone, so a script has to confirm them beforehand. */
export const forget: MaintenanceRunner = async (given, tools) => {
  assertConfirmable(given);
  if (!given.words.every(isPostgresAddress)) chooseTemporaryDirectory(given.words);
  const age = valueOf(given, "older-than");
  const { backupDir, stateDirectories, dryRun, onProgress, signal } = migrationOptions(given, tools);
  const options = {
    userId: valueOf(given, "user"),
    before: age === undefined ? undefined : momentOf(age),
    agentId: valueOf(given, "agent"),
    orphans: has(given, "orphans"),
    erase: has(given, "erase"),
    schema: valueOf(given, "schema"),
    backupDir,
    stateDirectories,
    dryRun,
    onProgress,
    signal,
  };
  const confirm = async (plan: MaintenanceReport): Promise<void> => {
    const shown = showMaintenance(plan, paintFor(process.stderr, !has(given, "no-color")));
    await showAndAsk("Delete this now?", shown, tools);
  };
  return resultOf(await forgetIfConfirmed(given.words, options, needsAnswer(given) ? confirm : null), tools);
};

const HOURS: Readonly<Record<string, number>> = { h: 1, d: 24, w: 7 * 24 };

/** The moment of an age such as `90d`; a date is one already. */
function momentOf(age: string): Date | string {
  const [, number, unit] = /^(\d+)([hdw])$/.exec(age) ?? [];
  if (number === undefined || unit === undefined) return age;
  return new Date(Date.now() - Number(number) * (HOURS[unit] as number) * 3_600_000);
}

function resultOf(report: MaintenanceReport, { paint }: Tools): Result {
  return {
    code: report.exit_code,
    summary: showSummary(report, paint),
    done: report.summary,
    document: report,
    text: showMaintenance(report, paint),
  };
}

function showSummary({ exit_code: code, summary }: MaintenanceReport, paint: Paint): string {
  return (code === EXIT.done ? paint.good : paint.bad)(shownText(summary));
}

function showMaintenance(report: MaintenanceReport, paint: Paint): string {
  const blocks = [
    ...report.databases.map((item) => showDatabase(item, report, paint)),
    ...report.state_directories.map((item) => showStates(item, report, paint)),
    showPaths("needs a decision", report.refused, paint),
    showNotReached(report, paint),
    report.notes.map((note) => `note: ${shownText(note)}`),
    [showSummary(report, paint)],
  ];
  return blocks
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join("\n"))
    .join("\n\n");
}

/** Statuses of a database that may still have copies of what was deleted from it. */
const ENDED_EARLY: ReadonlySet<MaintenanceStatus> = new Set(["in_use", "failed", "interrupted"]);

function showDatabase(item: MaintainedDatabase, { dry_run: dry, erase }: MaintenanceReport, paint: Paint): string[] {
  const { path, bytes, status, summed, interactions, metadata, usage_rows: uses, kept_tables: kept } = item;
  const deleted =
    interactions === 0
      ? `${countText(metadata, "metadata text")} without an interaction`
      : `${countText(interactions, "interaction")}, ${numberText(metadata)} with metadata`;
  return [
    heading(path, bytes, status, paint),
    ...(summed === 0 ? [] : [`  added to the sums: ${countText(summed, "interaction")}`]),
    ...(interactions + metadata === 0 ? [] : [`  ${dry ? "would delete" : "deleted"}: ${deleted}`]),
    ...(uses === 0
      ? []
      : [`  ${dry ? "would delete" : "deleted"}: ${countText(uses, "use of patterns", "uses of patterns")}`]),
    ...(erase && !dry && ENDED_EARLY.has(status)
      ? ["  not erased: copies of deleted rows may be left; run forget --erase again"]
      : []),
    ...(item.bytes_after === null ? [] : [`  size afterwards: ${sizeText(item.bytes_after)}`]),
    ...kept.map(({ table, rows }) => `  not reached: ${countText(rows, "row")} of ${printable(table)}`),
    ...reasonLines(item.reason, status, paint),
  ];
}

function showStates(
  { path, status, reason, states, unfinished }: MaintainedStates,
  report: MaintenanceReport,
  paint: Paint,
): string[] {
  const deleted = [
    ...(states === 0 ? [] : [countText(states, "state")]),
    ...(unfinished === 0 ? [] : [`${countText(unfinished, "temporary file")} of killed programs`]),
  ];
  return [
    heading(`${path}/`, null, status, paint),
    ...(deleted.length === 0 ? [] : [`  ${report.dry_run ? "would delete" : "deleted"}: ${deleted.join(", ")}`]),
    ...reasonLines(reason, status, paint),
  ];
}

function showNotReached({ not_reached: paths }: MaintenanceReport, paint: Paint): string[] {
  return paths.length === 0
    ? []
    : [
        paint.bold("not reached, may contain the same data"),
        ...atMost(paths.map((path) => `  ${shownPath(path)}`)),
        ...(paths.some((path) => ownKind(basename(path)) === "archive")
          ? ["  down would restore deleted states from an archive: delete it first"]
          : []),
      ];
}
