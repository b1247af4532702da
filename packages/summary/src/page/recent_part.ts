import type { MetricsSummary, PeriodFigures, RecentSummary } from "../document.ts";
import { changeSentence, notableChanges, valueName } from "../notable_changes.ts";
import { MISSING, percent, responseTime, wholeNumber } from "./figures.ts";
import { type Markup, markup, nameText } from "./markup.ts";
import { type Column, dataTable } from "./table.ts";

/** The newest days against those before: what became worse, and a table of all values of the keys. */
export function recentPart(metrics: MetricsSummary, path: string): Markup | undefined {
  const { recent } = metrics;
  if (recent === null) return undefined;
  const changes = notableChanges(metrics);
  const texts = { duration: responseTime, percent, name: nameText };
  const list =
    changes.length === 0
      ? markup`<p class="note">Nothing is slower by a fifth or more, and nothing fails clearly more often.</p>`
      : markup`<ul class="alert">${changes.map((change) => markup`<li>${changeSentence(change, texts)}</li>`)}</ul>`;
  return markup`<h3>${title(recent)}</h3>
${list}
${changesTable(metrics, recent, path)}`;
}

function title({ days }: RecentSummary): string {
  return days === 1 ? "Newest day and the day before" : `Last ${days} days and the ${days} days before`;
}

/** Figures of all operations, or of one value of a key. */
interface Row {
  name: string;
  key: string;
  before: PeriodFigures | null;
  now: PeriodFigures | null;
}

function changesTable({ breakdowns }: MetricsSummary, recent: RecentSummary, path: string): Markup {
  const rows: Row[] = [
    { name: "All operations", key: MISSING, before: recent.before, now: recent.now },
    ...breakdowns.flatMap(({ key, recent: values }) =>
      (values ?? []).map(({ value, before, now }) => ({
        name: nameText(valueName(value)),
        key: nameText(key),
        before,
        now,
      })),
    ),
  ];
  const hasP95 = recent.now.p95 !== null || rows.some(({ now }) => typeof now?.p95 === "number");
  const columns: Column<Row>[] = [
    { name: "Of", kind: "text", cell: ({ name }) => name },
    ...(breakdowns.length === 0 ? [] : [{ name: "Key", kind: "text", cell: ({ key }) => key } satisfies Column<Row>]),
    ...both("Operations", (figures) => figures.total_operations, wholeNumber),
    ...both("Failed", (figures) => 1 - figures.success_rate, percent),
    ...(hasP95
      ? both("p95", (figures) => figures.p95, responseTime)
      : both("Mean", (figures) => timeOf(figures.avg_response_time_ms), responseTime)),
    {
      name: "Changed",
      kind: "number",
      cell: (row) => changeText(changeOf(row, hasP95)),
      order: (row) => Number((changeOf(row, hasP95) ?? Number.NaN).toFixed(4)),
    },
  ];
  return dataTable({
    name: `${title(recent)}, ${path}`,
    note: `${recent.since} to ${dayBefore(recent.until)}, and ${recent.before_since} to ${dayBefore(recent.since)} (UTC).`,
    columns,
    rows,
  });
}

/** A column of the newer period, and one of the period before. */
function both(
  name: string,
  value: (figures: PeriodFigures) => number | null,
  text: (value: number | null) => string,
): Column<Row>[] {
  return (["now", "before"] as const).map((period) => {
    const figure = (row: Row): number | null => {
      const figures = row[period];
      return figures === null ? null : value(figures);
    };
    return {
      name: period === "now" ? name : `${name} before`,
      kind: "number",
      cell: (row) => text(figure(row)),
      order: (row) => Number((figure(row) ?? Number.NaN).toPrecision(4)),
    };
  });
}

/** Without response times the mean is 0. */
function timeOf(mean: number): number | null {
  return mean === 0 ? null : mean;
}

/** The quotient of the response times minus 1; null if one of them is missing. */
function changeOf({ before, now }: Row, hasP95: boolean): number | null {
  const time = (figures: PeriodFigures | null): number => (hasP95 ? figures?.p95 : figures?.avg_response_time_ms) ?? 0;
  return time(before) > 0 && time(now) > 0 ? time(now) / time(before) - 1 : null;
}

function changeText(change: number | null): string {
  if (change === null) return MISSING;
  const hundredths = Math.round(change * 100);
  const sign = hundredths > 0 ? "+" : hundredths < 0 ? "−" : "";
  return `${sign}${Math.abs(hundredths)}%`;
}

function dayBefore(day: string): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) - 86_400_000).toISOString().slice(0, 10);
}
