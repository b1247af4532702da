import { createHash } from "node:crypto";
import { concludeReport, type Outcome } from "../../results/conclusion.ts";
import type { CaseRecord, ReportRecord } from "../../results/record.ts";
import { lineOf, type ReportView, subjectOf, viewOf } from "../../results/report_view.ts";
import { sectionName, sectionsOf } from "../../results/sections.ts";
import { Markup, markup } from "./markup.ts";
import { STYLE_PAGE, STYLE_TABLES } from "./style.ts";

const STYLE = `${STYLE_PAGE}${STYLE_TABLES}
.wide { max-width: 78rem; margin: 0 auto; padding: 1.5rem; }
.scroll { overflow-x: auto; margin-top: 1.5rem; }
.sections { table-layout: auto; }
.sections td { white-space: nowrap; font-variant-numeric: tabular-nums; }
.sections th[scope="row"] { font-weight: 400; color: var(--ink); vertical-align: top; padding: 0.6rem 1.2rem 0.6rem 0; }
.sections progress { display: block; width: 6rem; height: 0.5rem; accent-color: var(--good); }
.sections progress.some { accent-color: var(--bad); }
@media (max-width: 40rem) {
  .sections th[scope="row"] { display: block; font-weight: 600; border: 0; padding: 0; }
  .sections td::before { content: attr(data-label); display: block; color: var(--quiet); font-size: 0.8125rem; }
}
`;
const POLICY = `default-src 'none'; style-src 'sha256-${createHash("sha256").update(STYLE).digest("base64")}'; base-uri 'none'; form-action 'none'`;

/** Several implementations side by side: for each section of the specification, the ratio of its must cases that passed. */
export function sideBySide(reports: readonly (readonly ReportRecord[])[]): string {
  const views = reports.map(viewOf);
  const sections = sectionsOf({
    ...(views[0] as ReportView),
    requirements: new Map(views.toReversed().flatMap((view) => [...view.requirements])),
  }).filter(({ rows }) => rows.some(({ level }) => level === "must"));
  const rows = sections.map(({ id, title, rows: own }) => {
    const ids = new Set(own.filter(({ level }) => level === "must").map((one) => one.id));
    return row(sectionName({ id, title }), views, (view) =>
      view.cases.filter(({ requirements }) => requirements.some((cited) => ids.has(cited))),
    );
  });
  return markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${new Markup(POLICY)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${views.length} implementations: conformance</title>
<style>${new Markup(STYLE)}</style>
</head>
<body>
<main class="wide">
<h1>${views.length} implementations, section by section</h1>
<p class="quiet">Cases of stated requirements (must) that passed, of those that apply. A dash: none applies, or the run left them out.</p>
<div class="scroll" tabindex="0" role="region" aria-label="Sections"><table class="sections"><thead><tr><th scope="col">Section</th>${views.map(heading)}</tr></thead>
<tbody>
${row("All sections", views, (view) => view.cases.filter(({ level }) => level === "must"))}${rows}</tbody></table></div>
</main>
</body>
</html>
`.text;
}

const JUDGEMENT: Readonly<Record<Outcome, string>> = {
  conformant: "conformant",
  "conformant-but": "conformant",
  "as-expected": "not conformant, as expected",
  incomplete: "not fully judged",
  "not-conformant": "not conformant",
  "no-judgement": "not judged",
};

function heading(view: ReportView): Markup {
  const line = lineOf(view.run);
  return markup`<th scope="col">${subjectOf(view.run)}<br><span class="quiet">${line === "" ? "" : `line ${line}, `}${JUDGEMENT[concludeReport(view).outcome]}</span></th>`;
}

function row(name: string, views: readonly ReportView[], casesOf: (view: ReportView) => readonly CaseRecord[]): Markup {
  return markup`<tr><th scope="row">${name}</th>${views.map((view) => cell(view, casesOf(view)))}</tr>
`;
}

function cell(view: ReportView, cases: readonly CaseRecord[]): Markup {
  const counted = cases.filter(
    ({ scored, verdict, outside_profile: outside }) =>
      scored && outside !== true && !["inapplicable", "not-run"].includes(verdict),
  );
  const passed = counted.filter(({ verdict }) => verdict === "pass").length;
  const ratio =
    counted.length === 0
      ? markup`<span class="quiet">–</span>`
      : markup`${passed}/${counted.length}<progress class="${passed === counted.length ? "every" : "some"}" max="${counted.length}" value="${passed}" aria-hidden="true"></progress>`;
  return markup`<td data-label="${subjectOf(view.run)}">${ratio}</td>`;
}
