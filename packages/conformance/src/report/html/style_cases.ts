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
