/** Colours, type and layout of the page. `light-dark()` follows the system, or the button that sets `data-theme`. */
export const STYLE_PAGE: string = `
:root {
  color-scheme: light dark;
  --paper: light-dark(#fbfbf9, #14171b);
  --panel: light-dark(#ffffff, #1a1e23);
  --ink: light-dark(#1c2026, #e3e6e9);
  --quiet: light-dark(#596069, #a3abb5);
  --line: light-dark(#e1e2de, #2d333a);
  --edge: light-dark(#8b929b, #69727d);
  --good: light-dark(#1b6a38, #74c98f);
  --bad: light-dark(#b0231b, #ff938a);
  --warn: light-dark(#7d5300, #e3b868);
  --info: light-dark(#28588f, #8fbbf0);
  --bad-fill: light-dark(#b0231b, #c8362d);
  --good-tint: light-dark(#eaf5ed, #17291d);
  --bad-tint: light-dark(#fcecea, #331b1a);
  --good-mark: light-dark(#bfe5ca, #2a5538);
  --bad-mark: light-dark(#f6c5c0, #6d2b27);
  --sans: system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Liberation Sans", Arial, sans-serif;
  --mono: ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace;
}
:root[data-theme="light"] { color-scheme: light; }
:root[data-theme="dark"] { color-scheme: dark; }
* { box-sizing: border-box; }
[hidden] { display: none !important; }
html { scroll-padding-top: 7.5rem; -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.5 var(--sans); overflow-wrap: anywhere; }
h1, h2, p, ul, dl, dd { margin: 0; padding: 0; }
ul { list-style: none; }
a { color: var(--info); text-underline-offset: 0.15em; text-decoration-thickness: 1px; }
a:hover { text-decoration-thickness: 2px; }
code, pre, .mono, .diff dd { font-family: var(--mono); unicode-bidi: isolate; }
.mono { font-size: 0.86em; }
.quiet { color: var(--quiet); }
:focus-visible { outline: 2px solid var(--info); outline-offset: 2px; border-radius: 3px; }
button, input, select { font: inherit; color: inherit; }
button {
  border: 1px solid var(--edge); border-radius: 5px; background: var(--panel);
  padding: 0.15rem 0.6rem; font-size: 0.875rem; cursor: pointer;
}
button:hover { border-color: var(--ink); }
.skip { position: absolute; left: 1rem; top: -4rem; background: var(--panel); padding: 0.5rem 0.8rem; z-index: 3; }
.skip:focus { top: 0.5rem; }

.verdict, .columns { max-width: 78rem; margin: 0 auto; padding: 0 1.5rem; }
.verdict { padding-top: 1.5rem; padding-bottom: 1.75rem; }
.brand { display: flex; justify-content: space-between; align-items: center; min-height: 2rem; }
.brand, .verdict p { color: var(--quiet); font-size: 0.9375rem; }
h1 {
  max-width: 34em; margin: 1.6rem 0 0.5rem; font-size: clamp(1.45rem, 1.1rem + 1.6vw, 2.1rem);
  line-height: 1.22; font-weight: 600; letter-spacing: -0.012em; text-wrap: balance;
}
h1 em { font-style: normal; color: var(--warn); }
.conformant h1 em { color: var(--good); }
.not-conformant h1 em { color: var(--bad); }
.bar { display: block; width: 100%; height: 10px; margin: 1.5rem 0 0.75rem; border-radius: 5px; background: var(--line); }
.counts { display: flex; flex-wrap: wrap; gap: 0.3rem 1.4rem; }
.counts a { color: inherit; text-decoration: none; }
.counts a:hover { text-decoration: underline; }
.counts b { font-variant-numeric: tabular-nums; font-weight: 600; }
.counts .total { color: var(--quiet); margin-left: auto; }
.dot { display: inline-block; width: 0.62em; height: 0.62em; margin-right: 0.45em; border-radius: 50%; background: currentcolor; }
.v-pass { fill: var(--good); color: var(--good); }
.v-fail, .v-crash, .v-timeout, .v-protocol-error, .v-harness-error { fill: var(--bad-fill); color: var(--bad-fill); }
.v-crash, .v-timeout, .v-protocol-error, .v-harness-error { fill-opacity: 0.8; }
.v-observed { fill: var(--info); color: var(--info); }
.v-unsupported { fill: var(--warn); color: var(--warn); }
.v-inapplicable, .v-not-run { fill: var(--line); color: var(--quiet); }
.v-not-run { fill-opacity: 0.5; }
.verdict .scores { margin-top: 0.6rem; }
.remarks { margin-top: 1rem; padding: 0.6rem 1rem; border-left: 3px solid var(--warn); background: var(--panel); }
.remarks li { padding: 0.12rem 0; }
.verdict .begin { margin-top: 0.6rem; color: var(--ink); }
.verdict .loud { margin-top: 0.6rem; color: var(--bad); }

.columns { display: grid; grid-template-columns: 15.5rem minmax(0, 1fr); gap: 0 3rem; border-top: 1px solid var(--line); }
.contents { position: sticky; top: 0; align-self: start; max-height: 100vh; overflow-y: auto; padding: 1.5rem 0 2rem; font-size: 0.9rem; }
.contents h2 { font-size: 0.9rem; font-weight: 600; color: var(--quiet); margin-bottom: 0.4rem; }
.contents a { display: flex; gap: 0.5rem; padding: 0.22rem 0.3rem; margin-left: -0.3rem; color: inherit; text-decoration: none; border-radius: 4px; }
.contents a:hover { background: var(--line); }
.contents .name { flex: 1; min-width: 0; overflow-wrap: break-word; }
.number { color: var(--quiet); font-variant-numeric: tabular-nums; }
.contents .number { flex: 0 0 1.7rem; }
.contents .quiet, .contents .bad { white-space: nowrap; font-variant-numeric: tabular-nums; }
.bad { color: var(--bad); font-weight: 600; }
main:focus { outline: none; }

@media (max-width: 60rem) {
  .columns { display: block; }
  .contents { position: static; max-height: none; padding-bottom: 0.5rem; }
  .contents ul { columns: 17rem; column-gap: 2rem; }
  .contents li { break-inside: avoid; }
}
@media (max-width: 40rem) {
  html { scroll-padding-top: 1rem; }
  .verdict, .columns { padding-left: 1rem; padding-right: 1rem; }
  .counts .total { margin-left: 0; }
}
`;

/** Filters, requirements and cases. */
export const STYLE_CASES: string = `
.filters {
  position: sticky; top: 0; z-index: 2; display: flex; flex-wrap: wrap; align-items: end; gap: 0.5rem 0.9rem;
  padding: 0.9rem 0 0.7rem; background: var(--paper); border-bottom: 1px solid var(--line); font-size: 0.875rem;
}
.filters label > span { display: block; color: var(--quiet); }
.filters .text { flex: 1 1 12rem; }
.filters input[type="search"], .filters select {
  width: 100%; min-height: 2.1rem; padding: 0.2rem 0.5rem; border: 1px solid var(--edge); border-radius: 5px; background: var(--panel);
}
.filters select { width: auto; max-width: 11rem; }
.filters .check { display: flex; align-items: center; gap: 0.45rem; }
.filters .check > span { color: inherit; }
.filters .result { flex: 1 0 100%; display: flex; flex-wrap: wrap; gap: 0.3rem 0.6rem; align-items: center; }
.result output { margin-left: auto; color: var(--quiet); font-variant-numeric: tabular-nums; }
#nothing { padding: 2rem 0; }

.part { padding-top: 2rem; }
.part > h2 { display: flex; flex-wrap: wrap; gap: 0 0.5rem; align-items: baseline; font-size: 1.15rem; font-weight: 600; margin-bottom: 0.5rem; }
.part > h2 .bad { margin-left: auto; font-size: 0.875rem; }
.part > .quiet { max-width: 46em; margin-bottom: 0.8rem; }
summary { list-style: none; cursor: pointer; display: grid; gap: 0 1rem; align-items: baseline; }
summary::-webkit-details-marker { display: none; }
summary:hover .title { text-decoration: underline; text-decoration-color: var(--quiet); text-underline-offset: 0.2em; }
.notes { display: flex; flex-wrap: wrap; gap: 0 0.9rem; color: var(--quiet); font-size: 0.84rem; }
.requirement { border-top: 1px solid var(--line); }
.requirement > summary { grid-template-columns: 7.8rem minmax(0, 1fr); padding: 0.6rem 0; }
.requirement > summary > .notes { grid-column: 2; }
.state { display: flex; align-items: baseline; font-size: 0.875rem; font-weight: 600; color: var(--quiet); }
.state::before, .case > summary::before {
  content: ""; display: inline-block; flex: none; width: 0.38em; height: 0.38em; margin-right: 0.65em; vertical-align: 0.12em;
  border: solid var(--quiet); border-width: 0 1.5px 1.5px 0; transform: rotate(-45deg);
}
[open] > summary .state::before, .case[open] > summary::before { transform: rotate(45deg); vertical-align: 0.2em; }
.state.pass { color: var(--good); font-weight: 500; }
.state.FAIL { color: var(--bad); }
.state.expected-fail, .state.fail--not-scored, .state.unsupported { color: var(--warn); }
.state.observed { color: var(--info); font-weight: 500; }
.level { font-weight: 600; }
.cases { margin: 0 0 0.9rem 7.8rem; padding-left: 1rem; border-left: 1px solid var(--line); }
#section-others + .cases { margin-left: 0; }
.cases > .quiet { padding: 0.1rem 0 0.3rem; font-size: 0.9rem; max-width: 46em; }

.case > summary { grid-template-columns: 0.7rem minmax(3.4rem, auto) minmax(0, 1fr); gap: 0 0.5rem; padding: 0.3rem 0; }
.case > summary > .notes { grid-column: 3; }
.chip {
  justify-self: start; padding: 0.02rem 0.5rem; border: 1px solid transparent; border-radius: 4px;
  font-size: 0.8125rem; font-weight: 600; white-space: nowrap; color: var(--quiet); border-color: var(--line);
}
.chip.passed { color: var(--good); border-color: transparent; padding-left: 0; font-weight: 500; }
.chip.unexpected { color: #fff; background: var(--bad-fill); border-color: var(--bad-fill); }
.chip.unscored, .chip.expected { color: var(--warn); border-color: var(--warn); }
.chip.observed { color: var(--info); border-color: var(--info); }
.tag { color: var(--warn); font-weight: 600; }
.see { display: grid; grid-template-columns: 0.7rem minmax(3.4rem, auto) minmax(0, 1fr); gap: 0 0.5rem; padding: 0.3rem 0; align-items: baseline; }
.see::before { content: ""; }
.body { display: grid; gap: 0.6rem; margin: 0.2rem 0 1rem 1.2rem; font-size: 0.9375rem; }
.body .quiet { font-size: 0.875rem; }
.loud { color: var(--bad); font-weight: 600; }
.place { font-size: 0.875rem; color: var(--quiet); margin-bottom: 0.25rem; }
.given { font-size: 0.8125rem; color: var(--quiet); margin-bottom: 0.25rem; overflow-wrap: anywhere; }
.diff { border: 1px solid var(--line); border-radius: 5px; overflow: hidden; font-size: 0.8125rem; line-height: 1.55; }
.diff > div { display: grid; grid-template-columns: 4.6rem minmax(0, 1fr); }
.diff dt { padding: 0.35rem 0 0.35rem 0.7rem; font-family: var(--sans); color: var(--quiet); }
.diff dd { padding: 0.35rem 0.7rem; white-space: pre-wrap; }
.diff .wanted { background: var(--good-tint); }
.diff .got { background: var(--bad-tint); border-top: 1px solid var(--line); }
.neutral .wanted, .neutral .got { background: var(--panel); }
mark { color: inherit; border-radius: 2px; font-weight: 600; }
.wanted mark { background: var(--good-mark); }
.got mark { background: var(--bad-mark); }
.stderr, .again code { display: block; margin: 0; padding: 0.45rem 0.7rem; border: 1px solid var(--line); border-radius: 5px; background: var(--panel); font-size: 0.8125rem; white-space: pre-wrap; }
.stderr { max-height: 16rem; overflow-y: auto; }
.again span { display: inline-block; }
.again { display: flex; gap: 0.5rem; align-items: stretch; }
.again code { flex: 1; min-width: 0; }
.copy { align-self: start; min-height: 2.1rem; }
.case:target > summary .title, .requirement:target > summary .title { text-decoration: underline; text-decoration-color: var(--info); }

@media (max-width: 40rem) {
  .filters { position: static; }
  .filters label:not(.text):not(.check) { flex: 1 1 6rem; min-width: 0; }
  .filters select { width: 100%; max-width: none; }
  .requirement > summary { grid-template-columns: minmax(0, 1fr); }
  .requirement > summary > .notes { grid-column: 1; }
  .cases { margin-left: 0; padding-left: 0.7rem; }
  .case > summary { grid-template-columns: 0.7rem minmax(0, 1fr); }
  .case > summary > .title, .case > summary > .notes { grid-column: 2; }
  .see { grid-template-columns: 0.7rem minmax(0, 1fr); }
  .see > a { grid-column: 2; }
  .body { margin-left: 0; }
  .diff > div { grid-template-columns: minmax(0, 1fr); }
  .diff dt { padding-bottom: 0; }
  .diff dd { padding-top: 0.1rem; }
  .again { flex-direction: column; }
}
`;

/** Tables, the facts at the end of the page, and the print style. */
export const STYLE_TABLES: string = `
table { width: 100%; border-collapse: collapse; font-size: 0.9rem; line-height: 1.45; table-layout: fixed; }
th { text-align: left; font-weight: 600; color: var(--quiet); padding: 0.4rem 1.2rem 0.4rem 0; border-bottom: 1px solid var(--line); }
td { vertical-align: top; padding: 0.6rem 1.2rem 0.6rem 0; border-bottom: 1px solid var(--line); }
.questions th:nth-child(1) { width: 34%; }
.questions th:nth-child(3) { width: 16%; }
.as-ruled { color: var(--good); }
.different { color: var(--warn); font-weight: 600; }
.facts { display: grid; gap: 0.35rem; font-size: 0.9rem; }
.facts > div { display: grid; grid-template-columns: 9rem minmax(0, 1fr); gap: 0 1rem; }
.facts dt { color: var(--quiet); }
footer.part { padding-bottom: 4rem; }

@media (max-width: 40rem) {
  table, tbody, tr, td { display: block; }
  thead { position: absolute; clip-path: inset(50%); width: 1px; height: 1px; overflow: hidden; }
  tr { padding: 0.6rem 0; border-bottom: 1px solid var(--line); }
  td { padding: 0.2rem 0; border: 0; }
  td:not(:first-child)::before { content: attr(data-label); display: block; color: var(--quiet); font-size: 0.8125rem; }
  .facts > div { grid-template-columns: minmax(0, 1fr); }
}
@media print {
  :root, :root[data-theme] { color-scheme: light; }
  body { font-size: 10pt; background: none; }
  .contents, .filters, .skip, button { display: none !important; }
  .columns { display: block; border: 0; }
  .verdict, .columns { max-width: none; padding-left: 0; padding-right: 0; }
  .part > h2 { break-after: avoid; }
  .failure, .requirement > summary, tr { break-inside: avoid; }
  .chip.unexpected { color: var(--bad); background: none; }
  .stderr { max-height: none; }
  .bar, .diff, mark { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
`;
