import { causesTitle, firstAdapterFailure, commonFailures, likelyRequirement } from "../../results/common_failures.ts";
import { concludeReport, count, scoreOf, type Conclusion } from "../../results/conclusion.ts";
import { VERDICTS } from "../../results/record.ts";
import { subjectOf, type ReportView } from "../../results/report_view.ts";
import { BREACH, hasBreach, hasFailed, MIN_FAILURES, needsAttention } from "../../results/case_status.ts";
import { caseLink } from "./case_card.ts";
import { joined, markup, type Markup } from "./markup.ts";

/** The head of the page: the verdict in one sentence, the counts, and deviations that belong to no case. */
export function verdictHead(view: ReportView): Markup {
  const { run } = view;
  const conclusion = concludeReport(view);
  const facts = [
    run.implementation ? `written in ${run.implementation.language}` : "the adapter did not answer",
    run.transport === "stdio" ? "connected through standard input and output" : "run in the same process",
    ...(run.profile === null ? [] : [`profile ${run.profile}`]),
  ];
  return markup`<header class="verdict ${conclusion.outcome}">
<p class="brand"><span>perdura-conformance ${run.suite}</span> <button type="button" id="theme" hidden>Dark</button></p>
<h1>${sentence(view, conclusion)}</h1>
<p class="quiet">${facts.join(" · ")}</p>
${bar(view)}
${scores(view)}
${breaches(view)}${whereToBegin(view)}${remarks(view)}</header>
`;
}

function sentence(
  view: ReportView,
  { outcome, must, missing, failed: broken, others, expected, listDeviations: list }: Conclusion,
): Markup {
  const subject = markup`<bdi>${subjectOf(view.run)}</bdi>`;
  const version = `version ${view.run.spec_version ?? "(unknown)"}`;
  const rest = must.applicable - must.passed;
  switch (outcome) {
    case "conformant":
      return markup`${subject} <em>conforms</em> to ${version}: ${must.passed} of ${must.applicable} must cases passed.`;
    case "conformant-but":
      return markup`${subject} <em>conforms</em> to ${version}: ${must.passed} of ${must.applicable} must cases passed, but ${others > 0 ? `${count(others, "other scored case")} did not` : `${count(list, "entry", "entries")} of its expected-failure list did not match`}.`;
    case "as-expected":
      return markup`${subject} <em>does not conform</em> to ${version}, as expected: ${count(expected, "expected failure")}, no other failures.`;
    case "incomplete":
      return markup`${subject} was <em>not fully judged</em> against ${version}: ${missing} of ${must.applicable} must cases were not run.`;
    case "not-conformant":
      return broken + missing === 0
        ? markup`${subject} <em>does not conform</em> to ${version}.`
        : markup`${subject} <em>does not conform</em> to ${version}: ${rest} of ${must.applicable} must cases did not pass.`;
    case "no-judgement":
      return markup`There is <em>no judgement</em> on ${subject}: no case was run, or the suite itself failed.`;
  }
}

/** The verdicts as one bar and as a list; the words filter the page. */
function bar(view: ReportView): Markup {
  const { counts, case_files: total } = view.end;
  const present = VERDICTS.filter((verdict) => counts[verdict] > 0);
  let offset = 0;
  const parts = present.map((verdict) => {
    const part = markup`<rect class="v-${verdict}" x="${offset}" width="${counts[verdict]}" height="1"/>`;
    offset += counts[verdict];
    return part;
  });
  const items = present.map(
    (verdict) =>
      markup`<li><a href="#verdict=${verdict}"><span class="dot v-${verdict}"></span><b>${counts[verdict]}</b> ${verdict}</a></li>`,
  );
  return markup`<svg class="bar" viewBox="0 0 ${Math.max(1, offset)} 1" preserveAspectRatio="none" aria-hidden="true">${parts}</svg>
<ul class="counts" aria-label="Verdicts of ${count(total, "case")}">${items}<li class="total"><b>${total}</b> ${total === 1 ? "case" : "cases"}</li></ul>`;
}

function scores(view: ReportView): Markup {
  const names = { must: "must", should: "should", observe: "declared answers to open questions" } as const;
  const parts = (["must", "should", "observe"] as const).flatMap((level) => {
    const { passed, applicable } = scoreOf(view, level);
    return applicable === 0 ? [] : [`${passed} of ${applicable} ${names[level]}`];
  });
  return parts.length === 0 ? markup`` : markup`<p class="scores">Passed: ${parts.join(" · ")}</p>`;
}

/** Cases that wrote outside their directory, which must not be overlooked. */
function breaches(view: ReportView): Markup {
  const cases = view.cases.filter(hasBreach);
  if (cases.length === 0) return markup``;
  const links = joined(
    cases.map(({ id }) => caseLink(id)),
    ", ",
  );
  return markup`<p class="loud">${count(cases.length, "case")} ${BREACH}: ${links}</p>
`;
}

/** Notes of the run, and deviations from the expected-failure list. */
function remarks(view: ReportView): Markup {
  const cases = new Map(view.cases.map((record) => [record.id, record]));
  const list = view.end.unexpected.flatMap(({ id, what }) => {
    const record = cases.get(id);
    if (!record) return [markup`<li><span class="mono">${id}</span>: ${what}</li>`];
    return record.expected || record.verdict === "pass" ? [markup`<li>${caseLink(id)}: ${what}</li>`] : [];
  });
  const notes = view.end.notes.map((note) => markup`<li>${note}</li>`);
  return markup`${notes.length === 0 ? undefined : markup`<ul class="remarks">${notes}</ul>`}${
    list.length === 0
      ? undefined
      : markup`<div class="remarks"><b>Deviations from the expected-failure list</b><ul>${list}</ul></div>`
  }`;
}

/**
 * For a run with many failures: common complaints, the requirement to begin with, and the cases that need attention.
 */
function whereToBegin(view: ReportView): Markup {
  const failed = view.cases.filter((record) => hasFailed(record, view)).length;
  const likely = likelyRequirement(view);
  if (!likely || failed < MIN_FAILURES) return markup``;
  const attention = view.cases.filter((record) => needsAttention(record, view)).length;
  const complaints = commonFailures(view);
  const items = complaints.map(
    ({ text, example, place }) =>
      markup`<li>${text} (see ${caseLink(example)}${place === undefined ? undefined : `, ${place}`})</li>`,
  );
  const breakdown = firstAdapterFailure(complaints, failed);
  const first = breakdown
    ? markup`${caseLink(breakdown.example)}, where the adapter itself fails`
    : markup`<a href="#${likely.row.id}" class="mono">${likely.row.id}</a> (${count(likely.cases, "case")})`;
  return markup`<p class="begin">Start with ${first}, or see <a href="#attention=1">only the ${attention} cases that need attention</a>.</p>
${
  items.length === 0
    ? undefined
    : markup`<div class="remarks"><b>${causesTitle(complaints)}</b><ul>${items}</ul></div>
`
}`;
}
