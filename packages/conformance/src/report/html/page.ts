import { createHash } from "node:crypto";
import type { ReportRecord } from "../record.ts";
import { subjectOf, viewOf } from "../report_view.ts";
import { filterBar } from "./filter_bar.ts";
import { Markup, markup } from "./markup.ts";
import { requirementSections, sectionNavigation } from "./requirement_list.ts";
import { FILTER_SCRIPT } from "./script_filters.ts";
import { PAGE_SCRIPT } from "./script_page.ts";
import { STYLE_CASES } from "./style_cases.ts";
import { STYLE_PAGE } from "./style_page.ts";
import { STYLE_TABLES } from "./style_tables.ts";
import { environmentList, questionTable, uncheckedTable } from "./tables.ts";
import { verdictHead } from "./verdict_head.ts";

const STYLE = `${STYLE_PAGE}${STYLE_CASES}${STYLE_TABLES}`;
const SCRIPT = `${FILTER_SCRIPT}${PAGE_SCRIPT}`;
// Only exactly this style and this script may work on the page, and nothing may be loaded from anywhere.
const POLICY = `default-src 'none'; style-src '${hashOf(STYLE)}'; script-src '${hashOf(SCRIPT)}'; base-uri 'none'; form-action 'none'`;

/**
 * The report as one HTML page that needs nothing else: no network, and no script to be read.
 * @throws {Error} when the first or the last record is missing.
 * @example writeFileSync("report.html", htmlReport(result.records));
 */
export function htmlReport(records: readonly ReportRecord[]): string {
  const view = viewOf(records);
  return markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${new Markup(POLICY)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="generator" content="perdura-conformance ${view.run.suite}">
<title>${subjectOf(view.run)}: conformance</title>
<style>${new Markup(STYLE)}</style>
</head>
<body>
<a class="skip" href="#cases">Skip to the cases</a>
${verdictHead(view)}<div class="columns">
${sectionNavigation(view)}<div>
<main id="cases" tabindex="-1">
${filterBar(view)}<p id="nothing" class="quiet" hidden>No case matches.</p>
${requirementSections(view)}${questionTable(view)}${uncheckedTable(view)}</main>
${environmentList(view)}</div>
</div>
<script>${new Markup(SCRIPT)}</script>
</body>
</html>
`.text;
}

function hashOf(text: string): string {
  return `sha256-${createHash("sha256").update(text).digest("base64")}`;
}
