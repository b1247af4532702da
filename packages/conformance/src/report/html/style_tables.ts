/** Tables, the facts at the foot, and paper. */
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
