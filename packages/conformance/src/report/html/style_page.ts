/** Colours, type and the frame of the page. `light-dark()` follows the system, or the button that sets `data-theme`. */
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
