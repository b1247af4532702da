import { EXIT } from "@perdura/cli/exit_codes.js";
import { countText } from "@perdura/cli/quantities.js";
import type { Result, Runner, Tools } from "@perdura/cli/run_program.js";
import { shownText } from "@perdura/cli/shown_paths.js";
import type { Paint } from "@perdura/cli/terminal.js";
import { makeSums } from "../commands/sums.ts";
import type { MaintainedDatabase, MaintenanceReport } from "../core/maintenance_report.ts";
import { chooseTemporaryDirectory } from "../io/temporary_space.ts";
import { heading, reasonLines, showPaths } from "./render/heading.ts";
import type { Command, OptionName } from "./table.ts";

type MaintenanceRunner = Runner<Command, OptionName>;

export const sums: MaintenanceRunner = async (given, tools) => {
  chooseTemporaryDirectory(given.words);
  return resultOf(await makeSums(given.words, { onProgress: tools.progress.print, signal: tools.signal }), tools);
};

function resultOf(report: MaintenanceReport, { paint }: Tools): Result {
  const summary = (report.exit_code === EXIT.done ? paint.good : paint.bad)(shownText(report.summary));
  return {
    code: report.exit_code,
    summary,
    done: report.summary,
    document: report,
    text: [...showMaintenance(report, paint), [summary]].map((lines) => lines.join("\n")).join("\n\n"),
  };
}

function showMaintenance(report: MaintenanceReport, paint: Paint): string[][] {
  return [
    ...report.databases.map((item) => showDatabase(item, paint)),
    showPaths("needs a decision", report.refused, paint),
    report.notes.map((note) => `note: ${shownText(note)}`),
  ].filter((lines) => lines.length > 0);
}

function showDatabase(item: MaintainedDatabase, paint: Paint): string[] {
  return [
    heading(item.path, item.bytes, item.status, paint),
    ...(item.summed === 0 ? [] : [`  added to the sums: ${countText(item.summed, "interaction")}`]),
    ...reasonLines(item.reason, item.status, paint),
  ];
}
