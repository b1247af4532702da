import { count } from "../../results/conclusion.ts";
import { openQuestions } from "../../results/open_questions.ts";
import type { OpenQuestion } from "../../results/open_questions.ts";
import type { ReportView } from "../../results/report_view.ts";
import { casesByRequirement } from "../../results/sections.ts";
import { caseLink } from "./case_card.ts";
import { joined, markup } from "./markup.ts";
import type { Markup } from "./markup.ts";

/** The open questions: question, ruling, declared answer, observed answers. */
export function questionTable(view: ReportView): Markup {
  const rows = openQuestions(view).map(({ row, declared, seen, ruling }) => [
    markup`<span class="mono">${row.id}</span><br>${row.question ?? row.statement}`,
    markup`${ruling}`,
    declared === undefined ? markup`<span class="quiet">nothing</span>` : markup`${declared}`,
    seen.length === 0
      ? markup`<span class="quiet">not observed</span>`
      : joined(
          seen.toSorted((a, b) => Number(a.asRuled) - Number(b.asRuled)).map((answer) => seenAnswer(row.id, answer)),
          "<br>",
        ),
  ]);
  return markup`<section class="part" aria-labelledby="open-questions"><h2 id="open-questions">Open questions</h2>
<p class="quiet">Where the specification is silent, this suite has its own ruling. An implementation that declares another answer, or none, is observed and never fails.</p>
${table("questions", ["Question", "Our ruling", "Declared", "Observed"], rows)}</section>
`;
}

/** Cases that observed our ruling are only counted; they are listed with the requirement. */
function seenAnswer(id: string, { words, asRuled, cases }: OpenQuestion["seen"][number]): Markup {
  return asRuled
    ? markup`<span class="as-ruled">${words}</span> <a href="#${id}">${count(cases.length, "case")}</a>`
    : markup`<span class="different">${words}</span> ${joined(cases.map(caseLink), ", ")}`;
}

/** Requirements that no case checks, with the reason. */
export function uncheckedTable(view: ReportView): Markup {
  const checking = casesByRequirement(view);
  const rows = [...view.requirements.values()]
    .filter((row) => !checking.has(row.id))
    .map((row) => [
      markup`<span class="mono">${row.id}</span><br><span class="quiet">section ${row.section}, ${row.level}</span>`,
      markup`${row.statement}`,
      markup`${row.unchecked ?? "no case yet"}`,
    ]);
  return markup`<section class="part" aria-labelledby="unchecked"><h2 id="unchecked">Not checked</h2>
<p class="quiet">${rows.length === 0 ? "Every requirement has a case." : `${count(rows.length, "requirement")} without a case.`}</p>
${rows.length === 0 ? undefined : table("unchecked", ["Requirement", "Statement", "Reason"], rows)}</section>
`;
}

/** The environment of the run, and its duration. */
export function environmentList(view: ReportView): Markup {
  const { run, timing } = view;
  const slowest = Object.entries(timing?.cases ?? {})
    .toSorted(([a, first], [b, second]) => second - first || Number(a > b) - Number(a < b))
    .slice(0, 5);
  const facts: [string, Markup][] = [
    ["Suite", markup`perdura-conformance ${run.suite}`],
    ["Adapter", markup`<span class="mono">${run.adapter}</span>`],
    ["Requested line", markup`${run.line === "" ? "chosen by the adapter" : run.line}`],
    ["Capabilities", markup`${run.capabilities.length === 0 ? "none" : run.capabilities.join(", ")}`],
    ["Order of the cases", markup`${run.seed === null ? "by id" : `shuffled with seed ${run.seed}`}`],
  ];
  if (timing) {
    facts.push(
      ["Started", markup`<time datetime="${timing.started_at}">${timing.started_at}</time>`],
      ["Duration", markup`${(timing.duration_ms / 1000).toFixed(1)} s`],
      ["Platform", markup`${timing.platform}, Node.js ${timing.node}`],
    );
  }
  if (slowest.length > 0) {
    const parts = slowest.map(
      ([id, time]) => markup`${caseLink(id)} <span class="quiet">${Math.round(time)} ms</span>`,
    );
    facts.push(["Slowest cases", joined(parts, "<br>")]);
  }
  return markup`<footer class="part" aria-labelledby="environment"><h2 id="environment">Environment</h2>
<dl class="facts">${facts.map(([name, value]) => markup`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl></footer>
`;
}

/** A table that becomes a list of blocks on a narrow screen; the roles keep it a table for screen readers. */
function table(name: string, head: readonly string[], rows: readonly (readonly Markup[])[]): Markup {
  return markup`<table class="${name}" role="table"><thead role="rowgroup"><tr role="row">${head.map((title) => markup`<th role="columnheader" scope="col">${title}</th>`)}</tr></thead>
<tbody role="rowgroup">${rows.map(
    (cells) =>
      markup`<tr role="row">${cells.map((cell, column) => markup`<td role="cell" data-label="${head[column]}">${cell}</td>`)}</tr>
`,
  )}</tbody></table>`;
}
