import { badgeSvg } from "./badge.ts";
import { htmlReport } from "./html/page.ts";
import { sideBySide } from "./html/side_by_side.ts";
import { junitReport } from "./junit.ts";
import { markdownMatrix } from "./markdown.ts";
import type { MatrixOptions } from "./markdown.ts";
import type { ReportRecord } from "../results/record.ts";
import { jsonReport } from "../results/summary.ts";
import { terminalReport } from "./terminal.ts";
import type { TerminalStyle } from "./terminal.ts";

/** Names of the reports that can be made from a stream of records. */
export const FORMATS = ["terminal", "json", "junit", "markdown", "badge", "html"] as const;

/** Name of a report. */
export type Format = (typeof FORMATS)[number];

/** The report formats that show several runs side by side. */
const COMPARING: readonly Format[] = ["markdown", "html"];

/**
 * Makes one report: a pure function of the records.
 * @param reports the records of one run; for `markdown` and `html` of one or more.
 * @throws {Error} when a stream has no first or no last record, or several are given to a format that takes one.
 * @example
 * ```ts
 * import { implementationAdapter, renderReport, runSuite } from "@perdura/conformance";
 *
 * const { records } = await runSuite({ adapter: implementationAdapter("perdura-15"), cases: ["state/delete"] });
 * console.log(renderReport("junit", [records]).split("\n")[0]); // <?xml version="1.0" encoding="UTF-8"?>
 * ```
 */
export function renderReport(
  format: Format,
  reports: readonly (readonly ReportRecord[])[],
  options: Partial<TerminalStyle> & MatrixOptions = {},
): string {
  const [records, ...more] = reports;
  if (!records) throw new Error(`the format ${format} needs a report`);
  if (more.length > 0 && !COMPARING.includes(format))
    throw new Error(`the format ${format} accepts one report, got ${reports.length}`);
  switch (format) {
    case "terminal":
      return terminalReport(records, { colour: options.colour === true });
    case "json":
      return jsonReport(records);
    case "junit":
      return junitReport(records);
    case "markdown":
      return markdownMatrix(reports, options);
    case "badge":
      return badgeSvg(records);
    case "html":
      return more.length === 0 ? htmlReport(records) : sideBySide(reports);
  }
}
