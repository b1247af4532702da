import { METER_STEPS } from "./table.ts";

/** Columns of a kind, which are classes of their tables. */
const columnsOf = (kind: string): string =>
  Array.from({ length: 12 }, (_each, index) => `.${kind}${index + 1} tr > :nth-child(${index + 1})`).join(", ");

/** Bars in cells, by their width. */
const METERS = Array.from(
  { length: METER_STEPS + 1 },
  (_each, step) => `.m${step} { --part: ${step / METER_STEPS}; }`,
).join("\n");

/** Colours, type and layout of the page. `light-dark()` follows the system, or the button that sets `data-theme`. */
export const STYLE_PAGE: string = `
:root {
  color-scheme: light dark;
  --paper: light-dark(#f7f7f4, #14171b);
  --panel: light-dark(#ffffff, #1b1f24);
  --ink: light-dark(#1c2026, #e3e6e9);
  --quiet: light-dark(#596069, #a3abb5);
  --line: light-dark(#e1e2de, #2f353c);
  --shade: light-dark(#1c202626, #00000080);
  --edge: light-dark(#8b929b, #69727d);
  --good: light-dark(#1b6a38, #74c98f);
  --bad: light-dark(#b0231b, #ff938a);
  --warn: light-dark(#7d5300, #e3b868);
  --info: light-dark(#28588f, #8fbbf0);
  --bad-tint: light-dark(#fcecea, #331b1a);
  --warn-tint: light-dark(#fbf3e0, #2d2616);
  --good-tint: light-dark(#eaf5ed, #17291d);
  --c-bar: light-dark(#4d7fb8, #6b9fd9);
  --c-good: light-dark(#5d8fc4, #5f92cc);
  --c-fail: light-dark(#c2410c, #f2854f);
  --c-before: light-dark(#d9a441, #a87a1f);
  --c-after: light-dark(#28588f, #9cc6f7);
  --c-1: light-dark(#28639f, #7fb2ee);
  --c-2: light-dark(#b0560a, #f0a35c);
  --c-3: light-dark(#24794a, #6fcf97);
  --c-4: light-dark(#7446a8, #bd9bea);
  --c-5: light-dark(#b5304a, #f28b9a);
  --c-6: light-dark(#0f7580, #5fc9d3);
  --c-7: light-dark(#76583a, #c9a57d);
  --c-8: light-dark(#9c3a86, #e58fd0);
  --c-level-1: light-dark(#c3d5e8, #2c415a);
  --c-level-2: light-dark(#94b6da, #3d6490);
  --c-level-3: light-dark(#6391c6, #5b8bc4);
  --c-level-4: light-dark(#3a6ba6, #8db8e8);
  --c-level-5: light-dark(#1d4473, #cfe2f7);
  --sans: system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Liberation Sans", Arial, sans-serif;
  --mono: ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace;
}
:root[data-theme="light"] { color-scheme: light; }
:root[data-theme="dark"] { color-scheme: dark; }
* { box-sizing: border-box; }
[hidden] { display: none !important; }
html { scroll-padding-top: 1rem; -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 15px/1.5 var(--sans); overflow-wrap: anywhere; }
h1, h2, h3, h4, p, ul, dl, dd, figure { margin: 0; padding: 0; }
ul { list-style: none; }
a { color: var(--info); text-underline-offset: 0.15em; text-decoration-thickness: 1px; }
a:hover { text-decoration-thickness: 2px; }
.quiet, .note { color: var(--quiet); }
.note { font-size: 0.875rem; margin-bottom: 0.5rem; max-width: 52em; }
.note + .data-table { margin-top: 1.4rem; }
:focus-visible { outline: 2px solid var(--info); outline-offset: 2px; border-radius: 3px; }
button, input, select { font: inherit; color: inherit; }
button, select, input[type="search"], input[type="date"] {
  min-height: 2rem; flex: none; border: 1px solid var(--edge); border-radius: 5px; background: var(--panel); font-size: 0.875rem;
}
button { padding: 0.1rem 0.65rem; cursor: pointer; white-space: nowrap; }
button:hover { border-color: var(--ink); }
select, input[type="search"], input[type="date"] { padding: 0.1rem 0.5rem; max-width: 100%; }
.hidden-text { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.skip { position: absolute; left: 1rem; top: -4rem; background: var(--panel); padding: 0.5rem 0.8rem; z-index: 3; }
.skip:focus { top: 0.5rem; }

.head, .columns { max-width: 92rem; margin: 0 auto; padding: 0 1.5rem; }
.head { padding-top: 1.1rem; padding-bottom: 1.5rem; }
.brand { display: flex;  justify-content: space-between; align-items: center; gap: 1rem; min-height: 2rem; color: var(--quiet); font-size: 0.875rem; }
.brand span { display: inline-block; }
h1 { margin: 1rem 0 0.25rem; font-size: clamp(1.35rem, 1.1rem + 1.2vw, 1.85rem); line-height: 1.25; font-weight: 600; letter-spacing: -0.01em; text-wrap: balance; max-width: 48em; }
.tile.loud { border-color: var(--warn); }
.range-words { margin: 0.6rem 0 0; }
.range-choice { display: flex; flex-wrap: wrap; align-items: center; gap: 0.4rem 0.9rem; margin-top: 0.8rem; font-size: 0.875rem; }
.range-choice a { padding: 0.25rem 0; }
.range-choice a[aria-current] { color: var(--ink); font-weight: 600; text-decoration: none; }
.head .facts { color: var(--quiet); font-size: 0.9rem; max-width: 60em; }
.columns { display: grid; grid-template-columns: 14rem minmax(0, 1fr); gap: 0 2rem; align-items: start; padding-bottom: 4rem; }
.columns.alone { grid-template-columns: minmax(0, 1fr); }
main:focus { outline: none; }
.contents { position: sticky; top: 0; max-height: 100vh; overflow-y: auto; padding: 0.2rem 0 2rem; font-size: 0.875rem; }
.contents h2 { font-size: 0.8125rem; font-weight: 600; color: var(--quiet); margin: 0.9rem 0 0.25rem; }
.contents a { display: block; padding: 0.2rem 0.4rem; margin-left: -0.4rem; color: inherit; text-decoration: none; border-radius: 4px; line-height: 1.35; }
.contents a:hover { background: var(--line); }
.contents small { display: block; font-size: 0.8125rem; color: var(--quiet); }

.tiles { display: grid; grid-template-columns: repeat(auto-fill, minmax(9.5rem, 1fr)); gap: 0.75rem; margin: 1rem 0 0; }
.tile { padding: 0.65rem 0.85rem 0.7rem; background: var(--panel); border: 1px solid var(--line); border-radius: 8px; }
.tile dt { font-size: 0.8125rem; color: var(--quiet); }
.tile dd { font-size: 1.45rem; line-height: 1.25; font-weight: 600; letter-spacing: -0.01em; font-variant-numeric: tabular-nums; }
.tile dd small { font-size: 0.875rem; font-weight: 400; letter-spacing: 0; color: var(--quiet); }
.tile .detail { font-size: 0.8125rem; line-height: 1.4; font-weight: 400; letter-spacing: 0; color: var(--quiet); }
.source .tiles { display: flex; flex-wrap: wrap; margin: 0 0 1rem; }
.source .tile { flex: 1 1 7.5rem; max-width: 14rem; padding: 0.4rem 0.75rem; background: none; }
.source .tile dt { white-space: nowrap; }
.source .tile dd { font-size: 1.15rem; }
.source .tile .detail { font-size: 0.8125rem; }

.part { margin-bottom: 1.25rem; padding: 1.1rem 1.25rem 1.25rem; background: var(--panel); border: 1px solid var(--line); border-radius: 10px; }
.part > h2, summary h2 { font-size: 1.15rem; line-height: 1.35; font-weight: 600; }
.part > h2 { margin-bottom: 0.6rem; }
.part > h2 + h3, .part > h3:first-child { margin-top: 0; padding-top: 0; border-top: 0; }
summary { cursor: pointer; }
.source > summary { list-style: none; display: grid; grid-template-columns: 1rem minmax(0, 1fr); align-items: baseline; }
.source > summary::-webkit-details-marker { display: none; }
.source > summary::before {
  content: ""; width: 0.42em; height: 0.42em; border: solid var(--quiet); border-width: 0 1.5px 1.5px 0; transform: rotate(-45deg); align-self: center;
}
.source[open] > summary::before { transform: rotate(45deg) translate(-2px, -2px); }
.source > summary > div { min-width: 0; }
.source[open] > summary { margin-bottom: 0.8rem; }
.facts-line { color: var(--quiet); font-size: 0.875rem; }
h3 { font-size: 1.02rem; font-weight: 600; margin: 1.6rem 0 0.5rem; padding-top: 1rem; border-top: 1px solid var(--line); }
summary + h3 { margin-top: 0; }
h4 { font-size: 0.9rem; font-weight: 600; margin: 0 0 0.4rem; }
h4.next { margin-top: 1.2rem; }
.panels { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 21rem), 1fr)); gap: 1.25rem 2rem; margin-bottom: 1.4rem; }
.panels > div { min-width: 0; }
.empty { padding: 0.3rem 0; color: var(--quiet); }
.alert { margin: 0.6rem 0; padding: 0.5rem 0.8rem; border-left: 3px solid var(--warn); background: var(--warn-tint); font-size: 0.9rem; }
.values { margin: 0.6rem 0 1.2rem; }
.values > summary { font-size: 0.875rem; color: var(--info); width: fit-content; }
.values[open] > summary { margin-bottom: 0.6rem; }

@media (max-width: 62rem) {
  .columns { display: block; }
  .contents { position: static; max-height: 14rem; padding: 0 0 0.5rem; margin-bottom: 1rem; border-bottom: 1px solid var(--line); }
  .contents ul { columns: 15rem; column-gap: 1.5rem; }
  .contents li { break-inside: avoid; }
}
@media (max-width: 40rem) {
  .head, .columns { padding-left: 0.8rem; padding-right: 0.8rem; }
  .part { padding: 0.9rem 0.8rem 1rem; border-radius: 8px; }
  .contents { max-height: 22rem; }
  .contents ul { columns: auto; display: flex; flex-wrap: wrap; gap: 0 1rem; }
  .contents small { display: none; }
  .tiles, .source .tiles { display: grid; grid-template-columns: repeat(auto-fill, minmax(8.2rem, 1fr)); gap: 0.5rem; }
  .tile { padding: 0.5rem 0.65rem; }
  .tile dd { font-size: 1.2rem; }
}
`;

/** Tables, distributions and charts, and the style of the print. */
export const STYLE_DATA: string = `
.tools { display: flex; flex-wrap: wrap; align-items: end; gap: 0.5rem 0.9rem; margin-bottom: 0.5rem; font-size: 0.875rem; }
.tools label { display: flex; align-items: center; gap: 0.5rem; }
.tools label span { color: var(--quiet); }
.tools input { width: 17rem; }
.status { color: var(--quiet); margin-left: auto; align-self: center; font-variant-numeric: tabular-nums; }
.pager { display: flex; flex-wrap: wrap; gap: 0.5rem; margin-top: 0.6rem; }
.scroll {
  overflow-x: auto; position: relative;
  background: linear-gradient(90deg, var(--panel) 40%, transparent) 0 0 / 2.4rem 100% no-repeat local,
    linear-gradient(-90deg, var(--panel) 40%, transparent) 100% 0 / 2.4rem 100% no-repeat local,
    linear-gradient(90deg, var(--shade), transparent) 0 0 / 0.8rem 100% no-repeat scroll,
    linear-gradient(-90deg, var(--shade), transparent) 100% 0 / 0.8rem 100% no-repeat scroll;
}
table { border-collapse: collapse; font-size: 0.85rem; line-height: 1.4; }
.data { width: 100%; font-variant-numeric: tabular-nums; }
.data th, .data td { text-align: left; vertical-align: top; padding: 0.34rem 0.8rem 0.34rem 0; border-bottom: 1px solid var(--line); font-weight: 400; }
.data tr > :last-child { padding-right: 0.3rem; }
.data thead th { color: var(--quiet); font-weight: 600; white-space: normal; overflow-wrap: normal; vertical-align: bottom; }
.data tbody th { min-width: 12rem; max-width: 26rem; }
.data td { min-width: 6.5rem; max-width: 26rem; overflow-wrap: break-word; }
.data tbody tr:hover > * { background-color: color-mix(in srgb, var(--line) 40%, var(--panel)); }
${columnsOf("n")} { text-align: right; white-space: nowrap; min-width: 0 !important; }
${columnsOf("t")} { white-space: nowrap; }
${METERS}
td[class^="m"] {
  --wide: 2.6rem;
  padding-left: 3rem; background: linear-gradient(var(--c-bar) 0 0) no-repeat 0 0.72rem / calc(var(--wide) * var(--part)) 0.42rem,
    linear-gradient(var(--line) 0 0) no-repeat 0 0.72rem / var(--wide) 0.42rem;
}
.sort { min-height: 0; padding: 0; border: 0; background: none; color: inherit; font-weight: 600; white-space: normal; text-align: inherit; }
.sort:hover { text-decoration: underline; text-underline-offset: 0.2em; }
.sort::after { content: "\u00a0↕"; color: var(--edge); font-weight: 400; }
[aria-sort="ascending"] .sort::after { content: "\u00a0↑"; color: var(--info); }
[aria-sort="descending"] .sort::after { content: "\u00a0↓"; color: var(--info); }
[aria-sort="ascending"], [aria-sort="descending"] { color: var(--ink) !important; }
.nowrap { white-space: nowrap; }
tr.missing > *, tr.changed > * { background: var(--bad-tint); }
tr.added > *, tr.quarantined > * { background: var(--warn-tint); }
.result { font-weight: 600; }
.result.same { color: var(--good); font-weight: 400; }
.result.missing, .result.changed { color: var(--bad); }
.result.added, .result.quarantined { color: var(--warn); }

.bars { width: 100%; table-layout: fixed; font-variant-numeric: tabular-nums; position: relative; }
.w-name { width: 34%; }
.w-number { width: 5.2rem; }
.w-share { width: 3.8rem; }
.bars th { text-align: left; font-weight: 400; padding: 0.16rem 0.6rem 0.16rem 0; }
.bars td { text-align: right; padding: 0.16rem 0; white-space: nowrap; overflow-wrap: normal; }
.bars td:nth-child(4) { color: var(--quiet); }
.pair td:nth-child(4) { color: inherit; }
.pair thead th { color: var(--quiet); font-weight: 600; }
.pair thead th:nth-child(n + 3) { text-align: right; padding-right: 0; white-space: nowrap; }
.pair svg.bar { height: 0.4rem; margin: 0.1rem 0; }
.pair .differs > * { color: var(--bad); font-weight: 600; }
svg.bar { display: block; width: 100%; height: 0.72rem; background: color-mix(in srgb, var(--line) 55%, var(--panel)); border-radius: 2px; }
.ranking { display: grid; gap: 0.15rem; font-size: 0.875rem; }
.ranking li { display: grid; grid-template-columns: minmax(0, 1fr) auto; gap: 0 0.8rem; padding: 0.22rem 0; border-bottom: 1px solid var(--line); }
.ranking b { text-align: right; font-variant-numeric: tabular-nums; font-weight: 600; }
.ranking small { color: var(--quiet); font-size: 0.8125rem; }
.ranking small + small { text-align: right; }

.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 24rem), 1fr)); gap: 1.1rem 1.75rem; }
.range-row { grid-column: 1 / -1; display: flex; flex-wrap: wrap; gap: 0.3rem 1rem; align-items: center; font-size: 0.875rem; }
.range { display: flex; gap: 0.5rem; align-items: center; }
.range span { color: var(--quiet); }
.chart { min-width: 0; }
svg.drawn { display: block; width: 100%; height: auto; overflow: visible; }
svg.drawn line { stroke: var(--line); }
.ends { display: flex; justify-content: space-between; font-size: 0.8125rem; color: var(--quiet); font-variant-numeric: tabular-nums; }
svg.drawn .bars { stroke: currentcolor; }
svg.drawn .stroke { fill: none; stroke: currentcolor; stroke-width: 1.6; stroke-linejoin: round; stroke-linecap: round; }
.chart figcaption { display: flex; flex-wrap: wrap; gap: 0 0.8rem; align-items: baseline; font-size: 0.875rem; min-height: 2.7rem; align-content: start; }
.chart .title { font-weight: 600; }
.chart .when { color: var(--quiet); font-variant-numeric: tabular-nums; }
.legend { display: flex; flex-wrap: wrap; gap: 0 0.9rem; font-size: 0.8125rem; width: 100%; }
.legend b { font-weight: 600; font-variant-numeric: tabular-nums; }
.key { display: inline-block; width: 0.7rem; height: 0.7rem; margin-right: 0.4rem; border-radius: 2px; vertical-align: -0.05em; background: currentcolor; }
.key.line { height: 0; border-top: 3px solid; border-radius: 0; background: none; vertical-align: 0.25em; width: 1.1rem; }
.key.dashed { border-top-style: dashed; }
.plot { min-height: 170px; overflow: hidden; touch-action: pan-y; }
.chosen { grid-column: 1 / -1; display: grid; grid-template-columns: minmax(0, 1fr) 19rem; grid-template-rows: auto 1fr; gap: 0 1.5rem; }
.chosen figcaption, .chosen .plot { grid-column: 1; }
.chosen .plot { min-height: 260px; }
.chosen .chooser { grid-column: 2; grid-row: 1 / 3; }
.chosen .values { grid-column: 1 / -1; margin-bottom: 0; }
.chosen .values .scroll { max-height: 20rem; overflow-y: auto; }
.chosen .values thead th { position: sticky; top: 0; background: var(--panel); white-space: normal; min-width: 7rem; }
.chooser { display: grid; gap: 0.5rem; align-content: start; font-size: 0.875rem; min-width: 0; }
.chooser input[type="search"] { width: 100%; }
.chooser .buttons { display: flex; flex-wrap: wrap; gap: 0.35rem; }
.chooser .buttons button { min-height: 1.7rem; padding: 0 0.5rem; font-size: 0.8125rem; }
.chooser ul { max-height: 14.5rem; overflow-y: auto; border: 1px solid var(--line); border-radius: 5px; padding: 0.25rem 0; }
.chooser li label { display: grid; grid-template-columns: auto minmax(0, 1fr); gap: 0 0.5rem; padding: 0.18rem 0.6rem; cursor: pointer; }
.chooser li label:hover { background: color-mix(in srgb, var(--line) 40%, var(--panel)); }
.chooser li input { margin: 0.28rem 0 0; accent-color: var(--info); }
.chooser li .quiet { grid-column: 2; font-size: 0.8125rem; line-height: 1.3; font-variant-numeric: tabular-nums; }
.u-select { background: color-mix(in srgb, var(--info) 18%, transparent) !important; }
.u-hz .u-cursor-x { border-right: 1px solid var(--edge) !important; }
${["c-bar", "c-good", "c-fail", "c-before", "c-after"].map(colourRule).join("\n")}
${[1, 2, 3, 4, 5, 6, 7, 8].map((number) => colourRule(`c-${number}`)).join("\n")}
${[1, 2, 3, 4, 5].map((number) => colourRule(`c-level-${number}`)).join("\n")}

.verdict h1 em { font-style: normal; }
.verdict.complete h1 em { color: var(--good); }
.verdict.incomplete h1 em { color: var(--bad); }
.verdict.unknown h1 em { color: var(--warn); }
.sides { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 22rem), 1fr)); gap: 0 2rem; }

@media (max-width: 62rem) {
  .chosen { display: block; }
  .chooser { margin-top: 0.6rem; }
}
@media (max-width: 40rem) {
  .tools input { width: 100%; }
  .status { margin-left: 0; }
  .w-name { width: 36%; }
  .pair .w-name { width: 31%; }
  .w-number { width: 4.7rem; }
  .w-share { width: 3.4rem; }
  .data tbody th { min-width: 9rem; max-width: 12rem; }
  .data td { min-width: 5.5rem; }
}
@media (hover: none) {
  .range-row > .quiet { display: none; }
}
@media print {
  :root, :root[data-theme] { color-scheme: light; }
  body { font-size: 9.5pt; background: none; }
  .contents, .skip, .tools, .pager, .chooser, .range-row, .range-choice, button:not(.sort), .values:not([open]) { display: none !important; }
  .sort::after { content: none; }
  .columns { display: block; padding: 0; }
  .head { padding: 0 0 1rem; }
  .part { border: 0; padding: 0; }
  .scroll { overflow: visible; }
  h2, h3, h4 { break-after: avoid; }
  tr, .chart, .tile, .bars { break-inside: avoid; }
  .chosen { display: block; }
  .bar, .key, tr > * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
`;

/** Colour of a bar of a drawing, and of the key of a chart. */
function colourRule(name: string): string {
  return `.${name} { fill: var(--${name}); color: var(--${name}); }`;
}
