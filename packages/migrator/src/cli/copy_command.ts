import { has, valueOf } from "@perdura/cli/option_table.js";
import { printLine } from "@perdura/cli/lost_output.js";
import { nameOf, textOf } from "@perdura/cli/names.js";
import type { ProgressPrinter } from "@perdura/cli/progress_printer.js";
import { countText, numberText } from "@perdura/cli/quantities.js";
import { jsonText, paintFor, printable, widthOf } from "@perdura/cli/terminal.js";
import { wrap } from "@perdura/cli/wrap.js";
import { type CopyOptions, copyData } from "../commands/copy.ts";
import type { CopyReport } from "../copy/copy_report.ts";
import type { Arguments } from "./arguments.ts";
import { migrationOptions } from "./migration_options.ts";

/** Copies data, and prints what was done. */
export async function copyCommand(
  given: Arguments,
  progress: ProgressPrinter,
  signal: AbortSignal,
): Promise<{ code: number; done: string }> {
  const [source, target] = given.targets as [string, string];
  const { invalidRows, nonFinite, timestamps, missingLevel, stateDirectories, dryRun, onProgress } = migrationOptions(
    given,
    progress.print,
    signal,
  );
  const options: CopyOptions = {
    invalidRows,
    nonFinite,
    timestamps,
    missingLevel,
    stateDirectories,
    dryRun,
    onProgress,
    signal,
    replace: has(given, "replace"),
    schema: valueOf(given, "schema"),
  };
  const report = await copyData(source, target, options).finally(progress.clear);
  const paint = paintFor(process.stdout, !has(given, "no-color"));
  const summary = (report.exit_code === 0 ? paint.good : paint.bad)(textOf(report.summary));
  if (has(given, "json")) printLine(jsonText(report, 2));
  else if (has(given, "quiet")) printLine(summary);
  else printLine(wrap([...showCopy(report), summary].join("\n"), widthOf(process.stdout)));
  return { code: report.exit_code, done: report.summary };
}

function showCopy(report: CopyReport): string[] {
  const lines = [`${nameOf(report.source)} → ${nameOf(report.target)}`];
  for (const path of report.migrated) lines.push(`  ${nameOf(path)} is of before 16: a private copy was migrated`);
  for (const table of report.tables) {
    const parts = [
      `${numberText(table.present)} there already`,
      `${numberText(table.copied)} ${report.exit_code === 0 && !report.dry_run ? "copied" : "to copy"}`,
      ...(table.replaced > 0 ? [`${numberText(table.replaced)} different`] : []),
      ...(table.removed > 0 ? [`${numberText(table.removed)} only in the target`] : []),
      ...(table.recorded_since > 0 ? [`${numberText(table.recorded_since)} recorded since in the target`] : []),
      ...(table.faults > 0 ? [`${numberText(table.faults)} that cannot go over`] : []),
    ];
    lines.push(`  ${table.table}: ${countText(table.rows, "row")}; ${parts.join(", ")}`);
    if (report.exit_code !== 0)
      for (const { key, columns } of table.differences) lines.push(`    ${printable(key)}: ${columns.join(", ")}`);
  }
  for (const { table, key, column, reason } of report.faults)
    lines.push(`  ${table} ${printable(key)}, ${column}: ${printable(reason)}`);
  return [...lines, ""];
}
