import type { PatternsSummary, PatternSummary } from "../document.ts";
import { type Bar, barTable } from "./bars.ts";
import { counted, fraction, minute, percent, wholeNumber } from "./figures.ts";
import { type Markup, markup, nameText } from "./markup.ts";
import { type Column, dataTable } from "./table.ts";
import { tileList } from "./tiles.ts";

/** Bars of a distribution by name that are shown; the others are one bar. */
const MOST_NAMES = 8;
/** Successes and failures of a pattern that make its success rate meaningful. */
const ENOUGH_OUTCOMES = 5;
const RANKED = 5;

/** Patterns of a database or a library: figures, distributions, the best and the worst, the table. */
export function patternsPart(patterns: PatternsSummary, path: string): Markup {
  if (patterns.patterns === 0) return markup`<h3>Patterns</h3><p class="empty">No pattern is stored.</p>`;
  const { success_count, failure_count, usage_count, by_type, by_agent, by_confidence } = patterns;
  const outcomes = success_count + failure_count;
  const tiles = tileList([
    { name: "Patterns", value: wholeNumber(patterns.patterns) },
    { name: "Agents", value: wholeNumber(by_agent.length) },
    { name: "Uses", value: wholeNumber(usage_count) },
    {
      name: "Success rate",
      value: percent(outcomes === 0 ? null : success_count / outcomes),
      detail: `${wholeNumber(success_count)} successes, ${wholeNumber(failure_count)} failures`,
    },
  ]);
  return markup`<h3>Patterns</h3>
${tiles}<div class="panels">
<div><h4>By type</h4>${barTable("Patterns by type", "Type", named(by_type, "types"))}
<h4 class="next">By agent</h4>${barTable("Patterns by agent", "Agent", named(by_agent, "agents"))}</div>
<div><h4>By confidence</h4>${barTable("Patterns by confidence", "Confidence", confidences(by_confidence))}</div>
</div>
${rankings(patterns.top_patterns)}${patternsTable(patterns, path)}`;
}

function named(counts: readonly { name: string; patterns: number }[], noun: string): Bar[] {
  const bars = counts.map(({ name, patterns }) => ({ name, value: patterns }));
  if (bars.length <= MOST_NAMES + 1) return bars;
  const others = bars.slice(MOST_NAMES);
  const rest = others.reduce((sum, { value }) => sum + value, 0);
  return [
    ...bars.slice(0, MOST_NAMES),
    { name: `${wholeNumber(others.length)} other ${noun}`, value: rest, colour: "c-level-2" },
  ];
}

/** The histogram of confidence in steps of 0.1. */
export function confidences(counts: readonly number[]): Bar[] {
  return counts.map((value, index) => ({
    name: `${(index / 10).toFixed(1)} to ${index === 9 ? "1.0" : `<${((index + 1) / 10).toFixed(1)}`}`,
    value,
  }));
}

function rankings(patterns: readonly PatternSummary[]): Markup {
  const rated = patterns.filter((pattern) => outcomesOf(pattern) >= ENOUGH_OUTCOMES);
  const length = Math.min(RANKED, Math.floor(rated.length / 2));
  if (length === 0) return markup``;
  const best = rated.toSorted((one, other) => rate(other) - rate(one) || outcomesOf(other) - outcomesOf(one));
  const worst = rated.toSorted((one, other) => rate(one) - rate(other) || outcomesOf(other) - outcomesOf(one));
  const list = (name: string, ranked: readonly PatternSummary[]): Markup =>
    markup`<div><h4>${name}</h4><ul class="ranking">${ranked.slice(0, length).map(rankedItem)}</ul></div>\n`;
  return markup`<div class="panels">
${list("Most successful patterns", best)}${list("Least successful patterns", worst)}</div>
<p class="note">Ranked among the ${counted(rated.length, "listed pattern")} with at least ${ENOUGH_OUTCOMES} successes and failures together.</p>
`;
}

function rankedItem(pattern: PatternSummary): Markup {
  const { name, id, agent_id, success_count, failure_count } = pattern;
  return markup`<li><span>${nameText(name.trim() === "" ? id : name)}</span><b>${percent(rate(pattern))}</b><small>${nameText(agent_id)}</small><small>${wholeNumber(success_count)} of ${wholeNumber(success_count + failure_count)}</small></li>`;
}

function patternsTable({ top_patterns: patterns, patterns: total }: PatternsSummary, path: string): Markup {
  const columns: Column<PatternSummary>[] = [
    { name: "Pattern", kind: "text", cell: ({ name, id }) => (name === "" ? id : name) },
    { name: "Type", kind: "text", cell: ({ pattern_type }) => pattern_type },
    { name: "Agent", kind: "text", cell: ({ agent_id }) => agent_id },
    {
      name: "Confidence",
      kind: "number",
      cell: ({ confidence }) => fraction(confidence),
      meter: ({ confidence }) => confidence,
    },
    { name: "Uses", kind: "number", cell: (pattern) => wholeNumber(pattern.usage_count) },
    {
      name: "Success",
      kind: "number",
      cell: (pattern) => percent(outcomesOf(pattern) === 0 ? null : rate(pattern)),
    },
    { name: "Successes", kind: "number", cell: (pattern) => wholeNumber(pattern.success_count) },
    { name: "Failures", kind: "number", cell: (pattern) => wholeNumber(pattern.failure_count) },
    { name: "Last used", kind: "time", cell: ({ last_used }) => minute(last_used) },
    { name: "Tags", kind: "text", cell: ({ tags }) => tags.join(", ") },
    { name: "Id", kind: "text", cell: ({ id }) => id },
  ];
  const note =
    patterns.length < total
      ? `The ${counted(patterns.length, "pattern")} with the most uses, of ${wholeNumber(total)} patterns.`
      : `All ${counted(total, "pattern")}.`;
  return dataTable({ name: `Patterns, ${path}`, columns, rows: patterns, note });
}

function outcomesOf({ success_count, failure_count }: PatternSummary): number {
  return success_count + failure_count;
}

function rate(pattern: PatternSummary): number {
  return pattern.success_count / Math.max(1, outcomesOf(pattern));
}
