import { EXIT } from "@perdura/cli/exit_codes.js";
import { nameOf, textOf } from "@perdura/cli/names.js";
import type { Paint } from "@perdura/cli/terminal.js";
import type { MigrationReport } from "../../core/report.ts";
import type { NextStep } from "./next_steps.ts";
import { showDatabase } from "./database.ts";
import { showLeftAlone, showPaths } from "./heading.ts";
import { showStates } from "./states.ts";

/** The report as lines for a person, blocks apart. `next` is what the person may do now. */
export function showReport(report: MigrationReport, paint: Paint, next: readonly NextStep[]): string {
  const blocks = [
    ...report.databases.map((database) => showDatabase(database, report, paint)),
    ...report.state_directories.map((directory) => showStates(directory, report, paint)),
    showPaths("needs a decision", report.refused, paint),
    showLeftAlone(report.left_alone, paint),
    report.notes.map((note) => `note: ${textOf(note)}`),
    report.report_path === null ? [] : [`Report: ${nameOf(report.report_path)}`],
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

/** The one sentence. */
export function showSummary({ summary, exit_code: code }: MigrationReport, paint: Paint): string {
  return (code === EXIT.done ? paint.good : paint.bad)(summary);
}
