import type { BreakdownRow } from "@perdura/internals/metrics/breakdown/breakdown.js";
import type { BreakdownSummary, MetricsSummary } from "../document.ts";
import { valueName } from "../notable_changes.ts";
import { barTable } from "./bars.ts";
import { counted, MISSING, percent, responseTime, wholeNumber } from "./figures.ts";
import { type Markup, markup, nameText } from "./markup.ts";
import { type Column, dataTable } from "./table.ts";

/** Figures by the values of keys of the metadata: which tool fails, and which is slow. */
export function breakdownParts({ breakdowns }: MetricsSummary, path: string): Markup {
  return markup`${breakdowns.map((breakdown) => breakdownPart(breakdown, path))}`;
}

function breakdownPart({ key, values }: BreakdownSummary, path: string): Markup {
  const heading = markup`<h3>By ${nameText(key)}</h3>\n`;
  if (values === null)
    return markup`${heading}<p class="empty">Not counted: the database has more than 100,000 operations. Declare the key in the program that records (<code>breakdown: { keys: […] }</code>), or count the rows with <code>perdura-inspect metrics breakdown</code>.</p>
`;
  return markup`${heading}${failuresOf(key, values)}${valuesTable(key, values, path)}`;
}

/** Number of values with a bar. */
const MOST_BARS = 8;

/** The values with the most failed operations. */
function failuresOf(key: string, values: readonly BreakdownRow[]): Markup | undefined {
  const bars = values
    .map((row) => ({ name: nameOf(row), value: failed(row), colour: "c-fail" }))
    .filter(({ value }) => value > 0)
    .toSorted((one, other) => other.value - one.value)
    .slice(0, MOST_BARS);
  if (bars.length === 0) return undefined;
  return markup`<div class="panels"><div><h4>Failed operations</h4>${barTable(`Failed operations by ${nameText(key)}`, nameText(key), bars)}</div></div>\n`;
}

function valuesTable(key: string, values: readonly BreakdownRow[], path: string): Markup {
  const numbers = Object.keys(values[0]?.numbers ?? {});
  const columns: Column<BreakdownRow>[] = [
    { name: nameText(key), kind: "text", cell: (row) => nameText(nameOf(row)) },
    { name: "Operations", kind: "number", cell: (row) => wholeNumber(row.total_operations) },
    { name: "Failed", kind: "number", cell: (row) => wholeNumber(failed(row)) },
    {
      name: "Success",
      kind: "number",
      cell: (row) => percent(row.success_rate),
      meter: (row) => row.success_rate,
    },
    timeColumn("Mean", (row) => row.avg_response_time_ms),
    timeColumn("p50", (row) => row.p50),
    timeColumn("p95", (row) => row.p95),
    timeColumn("p99", (row) => row.p99),
    ...numbers.map((name): Column<BreakdownRow> => ({
      name: nameText(name),
      kind: "number",
      cell: (row) => sumText(row.numbers?.[name]?.sum),
      order: (row) => row.numbers?.[name]?.sum ?? Number.NaN,
    })),
  ];
  return dataTable({ name: `Operations by ${nameText(key)}, ${path}`, columns, rows: values });
}

/** The texts have several units, so they are sorted by the values. */
function timeColumn(name: string, value: (row: BreakdownRow) => number | null): Column<BreakdownRow> {
  return {
    name,
    kind: "number",
    cell: (row) => responseTime(value(row)),
    order: (row) => Number((value(row) ?? Number.NaN).toPrecision(4)),
  };
}

function nameOf(row: BreakdownRow): string {
  if (row.others !== undefined) return `(${counted(row.others, "other value")})`;
  return valueName(row.value);
}

function failed({ total_operations, success_rate }: BreakdownRow): number {
  return total_operations - Math.round(total_operations * success_rate);
}

function sumText(sum: number | undefined): string {
  if (sum === undefined) return MISSING;
  return Number.isSafeInteger(sum) ? wholeNumber(sum) : String(Number(sum.toPrecision(6)));
}
