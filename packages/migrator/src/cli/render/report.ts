import { EXIT } from "@perdura/cli/exit_codes.js";
import { shownPath, shownText } from "@perdura/cli/shown_paths.js";
import { countText, numberText, sizeText } from "@perdura/cli/quantities.js";
import { type Paint, printable } from "@perdura/cli/terminal.js";
import type { MigrationReport, StateDirectoryReport } from "../../core/report.ts";
import { showDatabase } from "./database.ts";
import { atMost, heading, isForecast, reasonLines, showLeftAlone, showPaths } from "./heading.ts";
import type { NextStep } from "./next_steps.ts";

/** Renders a report as text, with blank lines between its blocks. `next` lists possible next steps. */
export function showReport(report: MigrationReport, paint: Paint, next: readonly NextStep[]): string {
  const blocks = [
    ...report.databases.map((database) => showDatabase(database, report, paint)),
    ...report.state_directories.map((directory) => showStates(directory, report, paint)),
    showPaths("needs a decision", report.refused, paint),
    showLeftAlone(report.left_alone, paint),
    report.notes.map((note) => `note: ${shownText(note)}`),
    report.report_path === null ? [] : [`Report: ${shownPath(report.report_path)}`],
    [showSummary(report, paint)],
    next.flatMap(({ words, commands }) => [
      `${words}${commands.length === 0 ? "." : ":"}`,
      ...commands.map((command) => `  ${command}`),
    ]),
  ];
  return blocks
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join("\n"))
    .join("\n\n");
}

/** The coloured summary. */
export function showSummary({ summary, exit_code: code }: MigrationReport, paint: Paint): string {
  return (code === EXIT.done ? paint.good : paint.bad)(shownText(summary));
}

/** Renders the report on a state directory as lines. */
function showStates(directory: StateDirectoryReport, report: MigrationReport, paint: Paint): string[] {
  const { path, bytes, status, archive, disk, restored, removed, states_broken: broken } = directory;
  const forecast = isForecast(report);
  return [
    heading(`${path}/`, bytes, status, paint),
    ...showCounts(directory),
    ...showFiles("broken, kept unchanged", broken),
    ...showFiles("unusual, kept unchanged", directory.states_unusual),
    ...directory.notes.map((note) => `  note: ${shownText(note)}`),
    ...(disk === null || (status !== "planned" && status !== "refused")
      ? []
      : [`  disk: ${sizeText(disk.needed_bytes)} needed at most, ${sizeText(disk.free_bytes)} free`]),
    ...(archive === null
      ? []
      : [
          `  archive: ${shownPath(archive.path)}${status === "planned" && report.command === "plan" ? "; the directory is not changed" : ""}`,
        ]),
    ...(report.command === "status" && status === "planned" ? ["  to do: archive it"] : []),
    ...(restored === 0
      ? []
      : [`  ${forecast ? "would restore" : "restored"}: ${countText(restored, "entry", "entries")}`]),
    ...(removed === 0 ? [] : [`  ${forecast ? "would remove" : "removed"}: ${countText(removed, "entry", "entries")}`]),
    ...atMost(directory.differences.map((difference) => `  differs: ${shownText(difference)}`)),
    ...reasonLines(directory.reason, status, paint),
  ];
}

function showCounts({ entries, states_ok: ok, states_broken: broken }: StateDirectoryReport): string[] {
  if (entries === 0) return [];
  const states = ok + broken.length === 0 ? "" : `: ${countText(ok, "state")}, ${numberText(broken.length)} broken`;
  return [`  ${countText(entries, "entry", "entries")}${states}`];
}

function showFiles(label: string, files: readonly { file: string; reason: string }[]): string[] {
  return atMost(files.map(({ file, reason }) => `  ${label}: ${printable(file)}: ${printable(reason)}`));
}
