import { percent, wholeNumber } from "./figures.ts";
import { type Markup, markup, nameText } from "./markup.ts";

export interface Bar {
  name: string;
  value: number;
  /** Class of the colour; `bar` by default. */
  colour?: string;
}

/**
 * A distribution as a table with bars: name, bar, number, share. Bars are drawings with attributes, because the policy
 * of the page forbids style attributes.
 */
export function barTable(name: string, heading: string, bars: readonly Bar[]): Markup {
  const total = bars.reduce((sum, { value }) => sum + value, 0);
  const highest = Math.max(1, ...bars.map(({ value }) => value));
  const rows = bars.map(
    ({ name: label, value, colour }) =>
      markup`<tr><th scope="row">${nameText(label)}</th><td class="bar">${bar(value / highest, colour)}</td><td>${wholeNumber(value)}</td><td>${percent(total === 0 ? null : value / total)}</td></tr>\n`,
  );
  return markup`<table class="bars"><caption class="hidden-text">${name}</caption>
<colgroup><col class="w-name"><col><col class="w-number"><col class="w-share"></colgroup><thead class="hidden-text"><tr><th scope="col">${heading}</th><th scope="col">Bar</th><th scope="col">Number</th><th scope="col">Share</th></tr></thead>
<tbody>${rows}</tbody></table>
`;
}

/** Two distributions with the same names, each with a bar for the values before and after. */
export function pairTable(name: string, heading: string, before: readonly Bar[], after: readonly Bar[]): Markup {
  const highest = Math.max(1, ...[...before, ...after].map(({ value }) => value));
  const names = before.length >= after.length ? before : after;
  const rows = names.map(({ name: label }, index) => {
    const [old, now] = [before[index]?.value ?? 0, after[index]?.value ?? 0];
    return markup`<tr${old === now ? undefined : markup` class="differs"`}><th scope="row">${nameText(label)}</th><td class="bar">${bar(old / highest, "c-before")}${bar(now / highest, "c-after")}</td><td>${wholeNumber(old)}</td><td>${wholeNumber(now)}</td></tr>\n`;
  });
  return markup`<table class="bars pair"><caption class="hidden-text">${name}</caption>
<colgroup><col class="w-name"><col><col class="w-number"><col class="w-number"></colgroup>
<thead><tr><th scope="col">${heading}</th><td></td><th scope="col"><i class="key c-before"></i>Before</th><th scope="col"><i class="key c-after"></i>After</th></tr></thead>
<tbody>${rows}</tbody></table>
`;
}

/** A bar that fills a part of its width. */
function bar(part: number, colour = "c-bar"): Markup {
  // Counters of foreign data may be any numbers.
  const width = Number.isFinite(part) ? Math.round(Math.min(1, Math.max(0, part)) * 1000) / 10 : 0;
  return markup`<svg class="bar" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true"><rect class="${colour}" width="${width}" height="10"/></svg>`;
}
