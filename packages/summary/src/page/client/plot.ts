import type UPlot from "uplot";
import type { ChartData, ChartSeries, SeriesStyle, Shared } from "./chart_group.ts";
import type { ChartTexts } from "./chart_texts.ts";
import type { Durations } from "./durations.ts";
import type { Padded } from "./range_choice.ts";

/** The page contains uPlot before this script. */
declare const uPlot: typeof UPlot;

/**
 * Draws charts with uPlot. It is embedded as text, so it uses nothing outside of this function except for its parameters
 * and uPlot.
 */
export function plotter({ axisText, timeLabels }: ChartTexts, { unitOf, inUnit }: Durations): Plotter {
  /** Width of a label on the axis of time, in pixels. */
  const LABEL = 64;
  const HOUR = 3600;
  const DAY = 86_400;
  const FONT = '12px system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif';
  const hours = [1, 2, 3, 4, 6, 8, 12].map((count) => count * HOUR);
  const days = [1, 2, 3, 4, 5, 7, 10, 14].map((count) => count * DAY);
  const longer = [30, 60, 90, 120, 180, ...[1, 2, 5, 10, 20, 50, 100, 200, 500].map((years) => years * 365)].map(
    (count) => count * DAY,
  );
  const wholeSteps = Array.from({ length: 48 }, (_each, index) => [1, 2, 5][index % 3]! * 10 ** Math.floor(index / 3));
  const probe = document.createElement("span");
  probe.hidden = true;
  document.body.append(probe);

  /** A colour of the style in the current theme. */
  function colour(name: string): string {
    probe.style.color = `var(--${name})`;
    return getComputedStyle(probe).color;
  }
  return { plotOf, padded };

  function plotOf(
    data: ChartData,
    shown: ChartSeries[],
    styleOf: (series: ChartSeries) => SeriesStyle,
    area: HTMLElement,
    shared: Shared,
  ): UPlot {
    const { isSparse, step: period } = shared;
    const { x } = shared.group;
    const isBars = data.kind !== "lines";
    const sums = x.map((_start, index) => shown.reduce((sum, { values }) => sum + (values[index] ?? 0), 0));
    const lower = x.map(() => 0);
    // Durations are drawn in the unit of the largest, so that the numbers on the axis are round.
    const unit = data.format === "duration" ? unitOf(highestOf(shown)) : undefined;
    const drawn = shown.map((series) => ({
      series,
      values: !isBars
        ? unit === undefined
          ? series.values
          : series.values.map((value) => (value === null ? null : value / unit.milliseconds))
        : series.values.map((value, index) => {
            lower[index]! += value ?? 0;
            if (data.kind === "stack") return lower[index]!;
            return sums[index] === 0 ? null : lower[index]! / sums[index]!;
          }),
    }));
    // The tallest bars are drawn first, the others in front of them.
    if (isBars) drawn.reverse();
    const [quiet, line] = [colour("quiet"), colour("line")];
    const axis = { stroke: quiet, font: FONT, grid: { stroke: line, width: 1 }, ticks: { show: false } };
    const format = data.kind === "share" ? "percent" : data.format;
    const valueText = (value: number): string =>
      format === "duration" ? inUnit(value, unit ?? unitOf(0)) : axisText(value, format);
    const options: UPlot.Options = {
      width: area.clientWidth,
      height: data.chosen ? 260 : 170,
      padding: [10, 10, 0, 0],
      tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), "Etc/UTC"),
      legend: { show: false },
      cursor: {
        y: false,
        sync: { key: shared.key, setSeries: false, scales: ["x", null] },
        points: { show: !isBars, size: 7 },
        drag: { x: true, y: false, dist: 8 },
      },
      scales: {
        x: { range: (_plot, min, max) => padded(min, max, shared) },
        y: { range: (_plot, min, max) => valueRange(min, max, format) },
      },
      axes: [
        {
          ...axis,
          grid: { show: false },
          ticks: { show: true, stroke: line, size: 4 },
          incrs: shared.step < DAY ? [...hours, ...days, ...longer] : [...days, ...longer],
          space: LABEL,
          gap: 3,
          size: 42,
          lineGap: 1.25,
          ...(isSparse
            ? { splits: (_plot, _axis, min, max, step, space) => startsOf(shared, min, max, step / space) }
            : {}),
          values: (_plot, splits, _axis, _space, step) => timeLabels(splits, isSparse ? period : step),
        },
        {
          ...axis,
          size: (_plot, texts) => Math.max(52, ...(texts ?? []).map((text) => 12 + 6.5 * text.length)),
          gap: 4,
          space: 28,
          // Numbers of operations have no fractions.
          ...(format === "count" ? { incrs: wholeSteps } : {}),
          values: (_plot, splits) => splits.map(valueText),
        },
      ],
      series: [
        {},
        ...drawn.map(({ series, values }): UPlot.Series => {
          const style = styleOf(series);
          const stroke = colour(style.name);
          if (isBars)
            return {
              stroke,
              fill: stroke,
              width: 0,
              paths: uPlot.paths.bars!({ size: [0.82, 40, 1] }),
              points: { show: false },
            };
          // The first of two equal lines stays visible below the second.
          const width = series.colour === "c-before" ? 5 : 1.75;
          const alone = values.flatMap((value, at) =>
            value !== null && (values[at - 1] ?? null) === null && (values[at + 1] ?? null) === null ? [at] : [],
          );
          return {
            stroke,
            width,
            dash: style.dash,
            points: {
              show: false,
              filter: () => (isSparse ? x.map((_start, at) => at) : alone.length === 0 ? null : alone),
              size: isSparse ? 7 : 5,
              fill: stroke,
            },
          };
        }),
      ],
      hooks: {
        setCursor: [
          (plot) => {
            const index = plot.cursor.idx ?? x.length - 1;
            shared.at = index;
            for (const chart of shared.charts) if (chart.plot === plot) chart.move(index, false);
          },
        ],
        setScale: [
          (plot, key) => {
            if (key === "x") dispatchEvent(new CustomEvent(shared.key, { detail: plot.scales["x"]! }));
          },
        ],
      },
    };
    const plot = new uPlot(options, [x, ...drawn.map(({ values }) => values)], area);
    if (shared.range) plot.setScale("x", { min: shared.range[0], max: shared.range[1] });
    return plot;
  }

  function padded(min: number | null, max: number | null, { group: { x }, step, isSparse }: Shared): [number, number] {
    const [first, last] = [x[0] ?? 0, x.at(-1) ?? 0];
    const begin = x.find((start) => start >= (min ?? first)) ?? last;
    const end = x.findLast((start) => start <= (max ?? last)) ?? first;
    // A range between two periods shows both.
    const [from, to] = [Math.min(begin, end), Math.max(begin, end)];
    // Bars are centred at the starts of their periods. A few periods may be far apart: then their bars are wider.
    const shown = isSparse ? x.filter((start) => start >= from && start <= to).length : 0;
    const half = Math.max(step, shown === 0 ? 0 : (to - from) / shown) / 2;
    return [from - half, to + half];
  }

  /** Starts of the periods of a range whose labels have enough space. */
  function startsOf({ group: { x } }: Shared, min: number, max: number, perPixel: number): number[] {
    let next = min;
    return x.filter((start) => {
      if (start < next || start > max) return false;
      next = start + LABEL * perPixel;
      return true;
    });
  }

  function valueRange(min: number | null, max: number | null, format: ChartData["format"]): [number, number] {
    if (format === "fraction") return [0, 1];
    if (format === "percent") return [min === null || min < 0.5 ? 0 : Math.floor(min * 10 - 0.01) / 10, 1];
    return [Math.min(0, min ?? 0) * 1.05, max === null || max <= 0 ? 1 : Math.min(max * 1.05, Number.MAX_VALUE)];
  }

  function highestOf(shown: readonly ChartSeries[]): number {
    return shown.reduce(
      (highest, { values }) => values.reduce<number>((most, value) => Math.max(most, Math.abs(value ?? 0)), highest),
      0,
    );
  }
}

export interface Plotter {
  /** Draws series into an element. */
  plotOf: (
    data: ChartData,
    shown: ChartSeries[],
    styleOf: (series: ChartSeries) => SeriesStyle,
    area: HTMLElement,
    shared: Shared,
  ) => UPlot;
  padded: Padded;
}
