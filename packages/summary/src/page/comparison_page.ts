import { comparedText, lossesText } from "../compared_text.ts";
import type { ComparedFact, Comparison } from "../document.ts";
import { pairTable } from "./bars.ts";
import { comparedCharts } from "./chart_data.ts";
import { counted, percent, responseTime, wholeNumber } from "./figures.ts";
import { type Markup, markup } from "./markup.ts";
import { chartsOf, levelBars } from "./metrics_part.ts";
import { totalsOf, type Totals } from "./overview.ts";
import { confidences } from "./patterns_part.ts";
import { pageOf } from "./shell.ts";
import { sourcesOf, sourcesTable } from "./sources.ts";
import { targetsText } from "./summary_page.ts";
import { dataTable } from "./table.ts";
import { tileList, withUnit } from "./tiles.ts";

type Result = ComparedFact["result"];

/** The results that a reader has to see are first. */
const RESULTS: readonly Result[] = ["missing", "changed", "quarantined", "added", "same"];

/**
 * A comparison as one self-contained HTML page with a verdict, the compared facts, and the figures of both sides.
 *
 * @returns The text of the file, to be written as UTF-8.
 * @throws {Error} if the package `uplot` is not installed.
 * @example writeFileSync("comparison.html", comparisonPage(comparison));
 */
export function comparisonPage(comparison: Comparison): string {
  const { before, after, compared, facts } = comparison;
  const [old, now] = [totalsOf(before), totalsOf(after)];
  const { className, heading, explanation } = verdictOf(comparison);
  const unreadable = [...before.unreadable, ...after.unreadable];
  return pageOf({
    title: `${heading}: ${targetsText(before.targets)} compared with ${targetsText(after.targets)}`,
    program: comparison.program,
    made_at: comparison.made_at,
    headClass: `verdict ${className}`,
    head: markup`<h1><em>${heading}</em></h1>
<p class="facts">${explanation}</p>
${compared.length === 0 ? undefined : markup`<p class="facts">Compared: ${comparedText(compared)}.</p>\n`}<p class="facts">Before: ${targetsText(before.targets)}<br>After: ${targetsText(after.targets)}</p>
${unreadable.length === 0 ? undefined : markup`<p class="alert">${counted(unreadable.length, "path")} could not be read, so the contents were not compared: see <a href="#unreadable">the reasons</a>.</p>\n`}${tileList(comparedTiles(old, now))}`,
    contents: markup`<ul><li><a href="#facts">Facts<small>${wholeNumber(facts.length)}</small></a></li><li><a href="#figures">Figures</a></li><li><a href="#sources">Sources</a></li>${unreadable.length === 0 ? undefined : markup`<li><a href="#unreadable">Unreadable paths<small>${wholeNumber(unreadable.length)}</small></a></li>`}</ul>\n`,
    main: markup`${factsPart(facts)}${figuresPart(old, now)}${sourcesPart(comparison)}${
      unreadable.length === 0
        ? undefined
        : markup`<section class="part" id="unreadable"><h2>Unreadable paths</h2>${dataTable({
            name: "Unreadable paths",
            columns: [
              { name: "Path", kind: "text", cell: ({ path }) => path },
              { name: "Reason", kind: "text", cell: ({ reason }) => reason },
            ],
            rows: unreadable,
          })}</section>\n`
    }`,
  });
}

interface Verdict {
  className: string;
  heading: string;
  explanation: string;
}

function verdictOf({ facts, compared, complete }: Comparison): Verdict {
  const [missing, changed, quarantined, added, same] = RESULTS.map((result) => countOf(facts, result)) as [
    number,
    number,
    number,
    number,
    number,
  ];
  if (facts.length === 0)
    return {
      className: "unknown",
      heading: complete ? "Nothing was compared" : "The comparison is incomplete",
      explanation: "Neither side has data that can be compared.",
    };
  const rest = [
    ...(same > 0 ? [`${counted(same, "fact")} ${same === 1 ? "is" : "are"} the same`] : []),
    ...(added > 0 ? [`${counted(added, "fact")} ${added === 1 ? "is" : "are"} only in the data after`] : []),
    ...(quarantined > 0
      ? [`${counted(quarantined, "fact")} ${quarantined === 1 ? "is" : "are"} due to the quarantine`]
      : []),
  ];
  if (complete)
    return {
      className: "complete",
      heading: "Nothing is missing",
      explanation: sentence([
        `Of ${counted(facts.length, "compared fact")}, ${rest.join(", and ") || "no fact is the same"}`,
      ]),
    };
  const wrong = [
    ...(missing > 0 ? [`${counted(missing, "fact")} ${missing === 1 ? "is" : "are"} missing`] : []),
    ...(changed > 0 ? [`${counted(changed, "fact")} ${changed === 1 ? "has" : "have"} changed`] : []),
  ];
  return {
    className: "incomplete",
    heading: lossesText(compared) || wrong.join(", ") || "The data after is not complete",
    explanation: sentence([`Of ${counted(facts.length, "compared fact")}, ${[...wrong, ...rest].join(", ")}`]),
  };
}

function sentence(parts: readonly string[]): string {
  return `${parts.join(" ")}.`;
}

function countOf(facts: readonly ComparedFact[], result: Result): number {
  return facts.filter((fact) => fact.result === result).length;
}

function comparedTiles(old: Totals, now: Totals) {
  const figure = (name: string, before: string, after: string) => ({
    name,
    value: withUnit(after),
    detail: before === after ? "the same before" : `before: ${before}`,
  });
  const has = (side: (totals: Totals) => number): boolean => side(old) > 0 || side(now) > 0;
  return [
    ...(has(({ metrics }) => metrics.length)
      ? [
          figure("Operations", wholeNumber(old.operations), wholeNumber(now.operations)),
          ...(old.users === null || now.users === null
            ? []
            : [figure("Users", wholeNumber(old.users), wholeNumber(now.users))]),
          figure("Success rate", percent(old.success_rate), percent(now.success_rate)),
          figure("Mean response time", responseTime(old.avg_response_time_ms), responseTime(now.avg_response_time_ms)),
        ]
      : []),
    ...(has(({ pattern_sources }) => pattern_sources.length)
      ? [figure("Patterns", wholeNumber(old.patterns), wholeNumber(now.patterns))]
      : []),
    ...(has(({ states }) => states)
      ? [figure("Collaboration states", wholeNumber(old.states), wholeNumber(now.states))]
      : []),
  ];
}

function factsPart(facts: readonly ComparedFact[]): Markup {
  const rows = facts.toSorted((one, other) => RESULTS.indexOf(one.result) - RESULTS.indexOf(other.result));
  return markup`<section class="part" id="facts"><h2>Facts</h2>
${
  facts.length === 0
    ? markup`<p class="empty">No fact was compared.</p>`
    : dataTable({
        name: "Facts",
        note: "Missing and changed facts are listed first.",
        columns: [
          { name: "Fact", kind: "text", cell: ({ fact }) => fact },
          {
            name: "Result",
            kind: "text",
            cell: ({ result }) => markup`<span class="result ${result}">${result}</span>`,
          },
          { name: "Before", kind: "number", cell: (fact) => fact.before || "–" },
          { name: "After", kind: "number", cell: (fact) => fact.after || "–" },
          { name: "Subject", kind: "text", cell: ({ subject }) => subject },
        ],
        rows,
        rowClass: ({ result }) => (result === "same" ? undefined : result),
        filter: { label: "Result", value: ({ result }) => result },
      })
}</section>
`;
}

function figuresPart(old: Totals, now: Totals): Markup {
  const group = comparedCharts(old.metrics, now.metrics);
  const note =
    group === undefined
      ? markup`<p class="empty">There is no common trend of operations.</p>\n`
      : markup`<p class="note">The databases of each side together. Where a thin line covers a thick line, both sides are equal.</p>
${chartsOf(group)}\n`;
  const levels =
    old.levels === null && now.levels === null
      ? undefined
      : markup`<div><h4>Levels of operations</h4>${pairTable("Operations by level", "Level", levelBars(old.levels ?? []), levelBars(now.levels ?? []))}</div>\n`;
  const confidence =
    old.patterns + now.patterns === 0
      ? undefined
      : markup`<div><h4>Confidence of patterns</h4>${pairTable("Patterns by confidence", "Confidence", confidences(old.by_confidence), confidences(now.by_confidence))}</div>\n`;
  const panels =
    levels || confidence ? markup`<h3>Distributions</h3><div class="panels">${levels}${confidence}</div>` : undefined;
  return markup`<section class="part" id="figures"><h2>Figures of both sides</h2>
${note}${panels}</section>
`;
}

function sourcesPart({ before, after }: Comparison): Markup {
  const part = (name: string, sources: ReturnType<typeof sourcesOf>): Markup =>
    sources.length === 0
      ? markup`<h3>${name}</h3><p class="empty">No data was found.</p>\n`
      : markup`<h3>${name}</h3>${sourcesTable(sources, `Sources ${name.toLowerCase()}`, false)}`;
  return markup`<section class="part" id="sources"><h2>Sources</h2>
${part("Before", sourcesOf(before))}${part("After", sourcesOf(after))}</section>
`;
}
