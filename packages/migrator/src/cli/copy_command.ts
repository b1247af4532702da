import { EXIT } from "@perdura/cli/exit_codes.js";
import { shownPath, shownText } from "@perdura/cli/shown_paths.js";
import { has, valueOf } from "@perdura/cli/option_table.js";
import { countText, numberText } from "@perdura/cli/quantities.js";
import type { Runner } from "@perdura/cli/run_program.js";
import { printable } from "@perdura/cli/terminal.js";
import { copyData, type CopyOptions } from "../commands/copy.ts";
import type { CopiedKeys, CopyReport } from "../copy/copy_report.ts";
import { migrationOptions } from "./migration_options.ts";
import type { Command, OptionName } from "./table.ts";

/** Copies data between SQLite and PostgreSQL. */
export const copy: Runner<Command, OptionName> = async (given, tools) => {
  const [source, target] = given.words as [string, string];
  const options: CopyOptions = {
    ...migrationOptions(given, tools),
    replace: has(given, "replace"),
    schema: valueOf(given, "schema"),
    distributed: valueOf(given, "distributed") as CopyOptions["distributed"],
  };
  const report = await copyData(source, target, options);
  const colour = report.exit_code === EXIT.done ? tools.paint.good : tools.paint.bad;
  const summary = colour(shownText(report.summary));
  return {
    code: report.exit_code,
    summary,
    done: report.summary,
    document: report,
    text: [...showCopy(report), summary].join("\n"),
  };
};

function showCopy(report: CopyReport): string[] {
  const lines = [`${shownPath(report.source)} → ${shownPath(report.target)}`];
  for (const path of report.migrated)
    lines.push(`  ${shownPath(path)} has a pre-16 layout: a private copy was migrated`);
  for (const table of report.tables) {
    const parts = [
      `${numberText(table.present)} already in the target`,
      `${numberText(table.copied)} ${report.exit_code === EXIT.done && !report.dry_run ? "copied" : "to copy"}`,
      ...(table.replaced > 0 ? [`${numberText(table.replaced)} different`] : []),
      ...(table.removed > 0 ? [`${numberText(table.removed)} only in the target`] : []),
      ...(table.recorded_since > 0 ? [`${numberText(table.recorded_since)} recorded in the target since`] : []),
      ...(table.faults > 0 ? [`${numberText(table.faults)} cannot be copied`] : []),
    ];
    lines.push(`  ${table.table}: ${countText(table.rows, "row")}; ${parts.join(", ")}`);
    if (report.exit_code !== EXIT.done)
      for (const { key, columns } of table.differences) lines.push(`    ${printable(key)}: ${columns.join(", ")}`);
  }
  if (report.declared_keys !== null) lines.push(`  ${declaredKeysText(report.declared_keys, report.dry_run)}`);
  for (const { table, key, column, reason } of report.faults)
    lines.push(`  ${table} ${printable(key)}, ${column}: ${printable(reason)}`);
  return [...lines, ""];
}

function declaredKeysText({ keys, numbers, outcome }: CopiedKeys, dryRun: boolean): string {
  const fates = {
    declared: dryRun ? "to declare in the target" : "declared in the target",
    kept: "not declared, because the target has declared keys",
    not_permitted: "not declared, because the role does not own the tables, or may not create others in the schema",
  };
  const list = (words: readonly string[]): string => words.map((word) => printable(word)).join(", ");
  const what = [
    ...(keys.length > 0 ? [`declared keys ${list(keys)}`] : []),
    ...(numbers.length > 0 ? [`declared numbers ${list(numbers)}`] : []),
  ];
  return `${what.join("; ")}: ${fates[outcome]}`;
}
