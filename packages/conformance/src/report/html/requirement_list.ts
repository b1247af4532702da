import { count } from "../../results/conclusion.ts";
import type { CaseRecord, RequirementRecord } from "../../results/record.ts";
import type { ReportView } from "../../results/report_view.ts";
import { casesByRequirement, requirementWord, sectionsOf } from "../../results/sections.ts";
import { needsAttention } from "../../results/case_status.ts";
import { caseAnchor, caseCard, verdictChip } from "./case_card.ts";
import { markup } from "./markup.ts";
import type { Markup } from "./markup.ts";

/** The id of a section's element. */
function sectionAnchor(section: string): string {
  return `section-${section}`;
}

/** Every section with its requirements and their cases. A case is listed under the first requirement that it cites. */
export function requirementSections(view: ReportView): Markup {
  const checking = casesByRequirement(view);
  const sections = sectionsOf(view).map(({ id, title, rows }) => {
    const checked = rows.filter((row) => checking.has(row.id));
    if (checked.length === 0) return markup``;
    const cases = new Set(checked.flatMap((row) => checking.get(row.id) ?? []));
    const attention = [...cases].filter((record) => needsAttention(record, view)).length;
    return markup`<section class="part" aria-labelledby="${sectionAnchor(id)}">
<h2 id="${sectionAnchor(id)}">${numbered(id)}${title}${attention === 0 ? undefined : markup` <span class="bad">${attention} of ${count(cases.size, "case")} ${attention === 1 ? "needs" : "need"} attention</span>`}</h2>
${checked.map((row) => requirement(row, checking.get(row.id) ?? [], view))}</section>
`;
  });
  return markup`${sections}${casesWithoutRequirement(view)}`;
}

function numbered(section: string): Markup | undefined {
  return /^\d/.test(section) ? markup`<span class="number">${section}</span> ` : undefined;
}

function requirement(row: RequirementRecord, cases: readonly CaseRecord[], view: ReportView): Markup {
  const word = requirementWord(row, cases, view);
  const open = cases.some((record) => needsAttention(record, view));
  const versions = row.versions === "*" ? undefined : markup`<span>${row.versions}</span>`;
  return markup`<details class="requirement" id="${row.id}"${open ? markup` open` : undefined}>
<summary><span class="state ${word.replaceAll(/[^a-zA-Z]/g, "-")}">${word}</span><span class="title">${row.question ?? row.statement}</span><span class="notes"><span class="level">${row.level}</span>${versions}<span class="mono">${row.id}</span></span></summary>
<div class="cases">${row.question === undefined ? undefined : markup`<p class="quiet">Our ruling: ${row.statement}</p>`}
${cases.map((record) => (homeOf(record, view) === row.id ? caseCard(record, view) : reference(record, view)))}</div>
</details>
`;
}

/** The requirement under which a case is shown in full. */
function homeOf(record: CaseRecord, view: ReportView): string | undefined {
  return record.requirements.find((id) => view.requirements.has(id));
}

function reference(record: CaseRecord, view: ReportView): Markup {
  return markup`<p class="see" data-case="${record.id}">${verdictChip(record, view)}<a href="#${caseAnchor(record.id)}">${record.title}</a></p>
`;
}

/**
 * Cases whose requirements are missing from the report: a report of this suite has none, but no case may be left out.
 */
function casesWithoutRequirement(view: ReportView): Markup {
  const cases = view.cases.filter((record) => homeOf(record, view) === undefined);
  if (cases.length === 0) return markup``;
  return markup`<section class="part" aria-labelledby="section-others"><h2 id="section-others">Other cases</h2>
<div class="cases">${cases.map((record) => caseCard(record, view))}</div></section>
`;
}

/** The sections as a list of links, with the number of their cases that need attention. */
export function sectionNavigation(view: ReportView): Markup {
  const checking = casesByRequirement(view);
  const items = sectionsOf(view).map(({ id, title, rows }) => {
    const cases = new Set(rows.flatMap((row) => checking.get(row.id) ?? []));
    if (cases.size === 0) return markup``;
    const attention = [...cases].filter((record) => needsAttention(record, view)).length;
    const note =
      attention === 0
        ? markup`<span class="quiet">${cases.size}</span>`
        : markup`<span class="bad" title="cases that need attention">${attention}/${cases.size}</span>`;
    return markup`<li><a href="#${sectionAnchor(id)}">${numbered(id)}<span class="name">${title}</span> ${note}</a></li>
`;
  });
  return markup`<nav class="contents" aria-label="Sections"><h2>Sections</h2><ul>${items}<li><a href="#open-questions"><span class="name">Open questions</span></a></li><li><a href="#unchecked"><span class="name">Not checked</span></a></li><li><a href="#environment"><span class="name">Environment</span></a></li></ul></nav>
`;
}
