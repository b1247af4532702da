import { createHash } from "node:crypto";
import { count } from "../../results/conclusion.ts";
import { VERDICTS } from "../../results/record.ts";
import type { ReportRecord } from "../../results/record.ts";
import { subjectOf, viewOf } from "../../results/report_view.ts";
import type { ReportView } from "../../results/report_view.ts";
import { sectionName, sectionsOf } from "../../results/sections.ts";
import { needsAttention } from "../../results/case_status.ts";
import { Markup, markup } from "./markup.ts";
import { requirementSections, sectionNavigation } from "./requirement_list.ts";
import { FILTER_SCRIPT, PAGE_SCRIPT } from "./script.ts";
import { STYLE_CASES, STYLE_PAGE, STYLE_TABLES } from "./style.ts";
import { environmentList, questionTable, uncheckedTable } from "./tables.ts";
import { verdictHead } from "./verdict_head.ts";

const STYLE = `${STYLE_PAGE}${STYLE_CASES}${STYLE_TABLES}`;
const SCRIPT = `${FILTER_SCRIPT}${PAGE_SCRIPT}`;
// The page may use only this style and this script, and load nothing.
const POLICY = `default-src 'none'; style-src '${hashOf(STYLE)}'; script-src '${hashOf(SCRIPT)}'; base-uri 'none'; form-action 'none'`;

/**
 * The report as one self-contained HTML page: it needs no network, and is readable without its script.
 * @throws {Error} when the first or last record is missing.
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

/** The filters of the cases. The script makes them visible; without it, all cases are shown. */
function filterBar(view: ReportView): Markup {
  const verdicts = VERDICTS.filter((verdict) => view.end.counts[verdict] > 0);
  const levels = (["must", "should", "observe", "extra"] as const).filter((level) =>
    view.cases.some((record) => record.level === level),
  );
  const cited = new Set(view.cases.flatMap(({ requirements }) => requirements));
  const sections = sectionsOf(view).filter(({ rows }) => rows.some(({ id }) => cited.has(id)));
  const attention = view.cases.filter((record) => needsAttention(record, view)).length;
  return markup`<search class="filters" id="filters" aria-label="Filter the cases" hidden>
<label class="text"><span>Search</span><input type="search" id="filter-q" placeholder="text, id or requirement" autocomplete="off" spellcheck="false"></label>
${choice(
  "verdict",
  "Verdict",
  verdicts.map((verdict) => [verdict, verdict]),
)}
${choice(
  "level",
  "Level",
  levels.map((level) => [level, level]),
)}
${choice(
  "section",
  "Section",
  sections.map((section) => [section.id, sectionName(section)]),
)}
<div class="result"><label class="check"><input type="checkbox" id="filter-attention"> <span>only cases that need attention (${attention})</span></label>
<output id="count" role="status" aria-live="polite">${count(view.cases.length, "case")}</output> <button type="button" id="reset" hidden>Show all</button> <button type="button" id="fold">Open all</button></div>
</search>
`;
}

function choice(name: string, label: string, options: readonly (readonly [value: string, words: string])[]): Markup {
  return markup`<label><span>${label}</span><select id="filter-${name}"><option value="">all</option>${options.map(([value, words]) => markup`<option value="${value}">${words}</option>`)}</select></label>`;
}
