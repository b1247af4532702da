import { count } from "../conclusion.ts";
import { VERDICTS } from "../record.ts";
import type { ReportView } from "../report_view.ts";
import { sectionName, sectionsOf } from "../sections.ts";
import { needsAttention } from "../standing.ts";
import { markup } from "./markup.ts";
import type { Markup } from "./markup.ts";

/** The filters over the cases. Hidden until the script shows them: without it everything is visible anyway. */
export function filterBar(view: ReportView): Markup {
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
<div class="result"><label class="check"><input type="checkbox" id="filter-attention"> <span>only what needs attention (${attention})</span></label>
<output id="count" role="status" aria-live="polite">${count(view.cases.length, "case")}</output> <button type="button" id="reset" hidden>Show all</button> <button type="button" id="fold">Open all</button></div>
</search>
`;
}

function choice(name: string, label: string, options: readonly (readonly [value: string, words: string])[]): Markup {
  return markup`<label><span>${label}</span><select id="filter-${name}"><option value="">all</option>${options.map(([value, words]) => markup`<option value="${value}">${words}</option>`)}</select></label>`;
}
