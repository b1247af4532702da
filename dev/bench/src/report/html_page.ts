import type { Chart } from "../run/run_chart.ts";
import { escaped } from "./escaped.ts";
import { logChart } from "./log_chart.ts";
import { kept, type Result } from "../run/result.ts";
import { cellsOf, COLUMNS } from "./table.ts";

const STYLE = `
:root { color-scheme: light dark; --line0: #0b63ce; --line1: #c2410c; --line2: #6d28d9; --line3: #15803d; --faint: #8888; }
@media (prefers-color-scheme: dark) { :root { --line0: #6cb2ff; --line1: #ff9b66; --line2: #c4a5ff; --line3: #6fdc93; } }
body { font: 16px/1.5 system-ui, sans-serif; margin: 0 auto; padding: 1rem; max-width: 75rem; } h1 { line-height: 1.2; }
.charts { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(20rem, 100%), 1fr)); gap: 1.5rem; }
figure { margin: 0; } figcaption { font-weight: 600; }
svg { width: 100%; height: auto; } text { font-size: 12px; fill: currentColor; }
.grid line { stroke: var(--faint); stroke-width: 0.5; } polyline { fill: none; stroke-width: 2; }
${[0, 1, 2, 3].map((index) => `.line${index} { stroke: var(--line${index}); fill: var(--line${index}); }`).join(" ")}
.legend { list-style: none; margin: 0; padding: 0; } .legend svg { width: 0.75rem; height: 0.75rem; }
table { border-collapse: collapse; width: 100%; } caption { text-align: left; font-weight: 600; }
th, td { text-align: left; vertical-align: top; padding: 0.3rem 0.6rem 0.3rem 0; border-bottom: 1px solid var(--faint); overflow-wrap: break-word; }
.missed { font-weight: 700; }
@media (max-width: 50rem) {
  thead { position: absolute; clip-path: inset(50%); }
  tr { display: block; padding: 0.6rem 0; border-bottom: 1px solid var(--faint); }
  th, td { display: block; border: 0; padding: 0; } td:empty { display: none; }
  td[data-label]::before { content: attr(data-label) ": "; opacity: 0.75; }
}`;

/** A self-contained page: without scripts, fonts or pictures from elsewhere. */
export function htmlPage(results: readonly Result[], charts: readonly Chart[]): string {
  const head = COLUMNS.map((column) => `<th scope="col">${escaped(column === "" ? "result" : column)}</th>`);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>perdura benchmarks</title>
<style>${STYLE}</style>
</head>
<body>
<h1>perdura benchmarks</h1>
<p>Node.js ${escaped(process.versions.node)}, ${escaped(process.platform)} ${escaped(process.arch)}. Both sides of a row worked in alternation, each in a process of
its own. A ratio is the median of the rounds with their middle half; 1/25 means a twenty-fifth. No absolute figure is a
claim: in the charts the shape of a line and the distance between two of them is what counts.</p>
${charts.length === 0 ? "" : `<h2>Time against size</h2>\n<div class="charts">\n${charts.map(logChart).join("\n")}\n</div>`}
<h2>All rows</h2>
<table>
<thead><tr>${head.join("")}</tr></thead>
<tbody>
${results.map(tableRow).join("\n")}
</tbody>
</table>
</body>
</html>
`;
}

function tableRow(result: Result): string {
  const [name = "", ...cells] = cellsOf(result);
  const labelled = cells.map((cell, index) => {
    const label = COLUMNS[index + 1] || "result";
    return `<td data-label="${escaped(label)}">${escaped(cell)}</td>`;
  });
  const missed = kept(result) === false ? ' class="missed"' : "";
  return `<tr${missed}><th scope="row">${escaped(name)}</th>${labelled.join("")}</tr>`;
}
