import type { ChartData, ChartGroup, ChartSeries } from "./client/chart_group.ts";
import { moment, percent, responseTime, wholeNumber } from "./figures.ts";
import { type Markup, markup } from "./markup.ts";

/** Size of a drawing, in its own units. */
const [WIDTH, HEIGHT] = [600, 150];

/** The charts of a group as drawings without interaction, for readers whose browser runs no scripts. */
export function drawnCharts(group: ChartGroup): Markup {
  return markup`${group.charts.map((chart) => drawnChart(chart, group))}`;
}

function drawnChart(chart: ChartData, { x, bucket }: ChartGroup): Markup {
  const shown = (chart.chosen === true ? chart.series.slice(0, chart.shown) : chart.series).map((each, index) => ({
    ...each,
    colour: each.colour === "" ? `c-${index + 1}` : each.colour,
    values: each.values.map((value) => (value !== null && Number.isFinite(value) ? Math.max(0, value) : null)),
  }));
  const series = chart.kind === "share" ? sharesOf(shown) : shown;
  const isStacked = chart.kind !== "lines";
  const bases = isStacked ? basesOf(series, x.length) : undefined;
  const highest = highestOf(chart, series, bases);
  const shapes = series.map(({ colour, values }, index) =>
    bases === undefined
      ? markup`<path class="${colour} stroke" d="${linePath(values, highest)}"/>`
      : markup`<path class="${colour} bars" stroke-width="${place((WIDTH / x.length) * 0.8)}" d="${barPath(values, bases[index] ?? [], highest)}"/>`,
  );
  const [first, last] = [x[0], x.at(-1)].map((seconds) => periodText(seconds ?? 0, bucket));
  const legend = series.map(({ name, colour }) => markup`<span><i class="key ${colour}"></i>${name}</span>`);
  const top = valueText(highest, chart.kind === "share" ? "percent" : chart.format);
  return markup`<figure class="chart"><figcaption><span class="title">${chart.title}</span><span class="when">0 to ${top}</span>${series.length < 2 ? undefined : markup`<span class="legend">${legend}</span>`}</figcaption>
<svg class="drawn" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${chart.title}, 0 to ${top}, ${first} to ${last}"><line x1="0" y1="${HEIGHT}" x2="${WIDTH}" y2="${HEIGHT}"/>${shapes}</svg><div class="ends"><span>${first}</span><span>${last}</span></div></figure>
`;
}

/** The series as shares of their sum in each period. */
function sharesOf<Series extends { values: Values }>(series: readonly Series[]): (Series & { values: number[] })[] {
  const sum = (index: number): number => series.reduce((all, { values }) => all + (values[index] ?? 0), 0) || 1;
  return series.map((each) => ({ ...each, values: each.values.map((value, index) => (value ?? 0) / sum(index)) }));
}

type Values = readonly (number | null)[];

/** Sums of the series below each series. */
function basesOf(series: readonly Pick<ChartSeries, "values">[], periods: number): number[][] {
  const sums = Array.from({ length: periods }, () => 0);
  return series.map(({ values }) => {
    const base = [...sums];
    values.forEach((value, index) => (sums[index] = (sums[index] ?? 0) + (value ?? 0)));
    return base;
  });
}

/** The value at the upper edge of the drawing. */
function highestOf(
  { format, kind }: ChartData,
  series: readonly Pick<ChartSeries, "values">[],
  bases: number[][] | undefined,
): number {
  if (kind === "share" || format === "percent" || format === "fraction") return 1;
  const tops = series.flatMap(({ values }, index) =>
    values.map((value, place) => (value ?? 0) + (bases?.[index]?.[place] ?? 0)),
  );
  return tops.reduce((most, top) => Math.max(most, top), 0) || 1;
}

/** Places have one decimal, and heights none, because more make the page longer. */
const place = (value: number): string => String(Math.round(value * 10) / 10);

/** A value above the upper edge, as foreign data may have, is drawn at the edge. */
const heightOf = (value: number, highest: number): number =>
  Math.round(Math.max(0, HEIGHT * (1 - value / highest) * 0.9 + HEIGHT * 0.1));

/** A line that is interrupted where values are missing; a single value is a short line. */
function linePath(values: Values, highest: number): string {
  const step = WIDTH / values.length;
  return values
    .map((value, index) => {
      if (value === null) return "";
      const at = `${place((index + 0.5) * step)} ${heightOf(value, highest)}`;
      if ((values[index - 1] ?? null) !== null) return `L${at}`;
      return (values[index + 1] ?? null) === null ? `M${at}h1` : `M${at}`;
    })
    .join("");
}

/** Vertical lines, as wide as bars. */
function barPath(values: Values, bases: readonly number[], highest: number): string {
  const step = WIDTH / values.length;
  return values
    .map((value, index) => {
      if (value === null || value === 0) return "";
      const base = bases[index] ?? 0;
      return `M${place((index + 0.5) * step)} ${heightOf(base, highest)}V${heightOf(base + value, highest)}`;
    })
    .join("");
}

function valueText(value: number, format: ChartData["format"]): string {
  if (format === "percent") return percent(value);
  if (format === "duration") return responseTime(value);
  return wholeNumber(Math.round(value));
}

function periodText(seconds: number, bucket: ChartGroup["bucket"]): string {
  const text = new Date(seconds * 1000).toISOString();
  return bucket === "hour" ? moment(text.slice(0, 16)) : text.slice(0, bucket === "month" ? 7 : 10);
}
