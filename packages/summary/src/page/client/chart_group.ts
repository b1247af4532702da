import type UPlot from "uplot";

/** Charts with the same periods, as the script `charts.ts` reads them. */
export interface ChartGroup {
  bucket: "hour" | "day" | "week" | "month";
  /** Starts of the periods, seconds since 1970 in UTC, in ascending order. */
  x: number[];
  charts: ChartData[];
}

export interface ChartData {
  title: string;
  /** Durations are in milliseconds. */
  format: "count" | "percent" | "duration" | "fraction";
  /** `stack`: bars on each other; `share`: the same, each bar as a whole of 100%; `lines`: lines. */
  kind: "stack" | "share" | "lines";
  series: ChartSeries[];
  /** True if users of the page choose the series from a list; then only the first `shown` are shown at first. */
  chosen?: boolean;
  shown?: number;
}

export interface ChartSeries {
  name: string;
  /** Name of a colour of the style, without its dashes. */
  colour: string;
  values: (number | null)[];
  /** Detail for the list of series. */
  detail?: string;
}

/** The charts of a group, and what they have in common. */
export interface Shared {
  group: ChartGroup;
  /** Name of the group. */
  key: string;
  /** Length of a period, in seconds. */
  step: number;
  /** True if each period is labelled and marked, as far as there is space: a calendar has no labels for so few. */
  isSparse: boolean;
  /** Chosen range of time; undefined for all periods. */
  range: [from: number, to: number] | undefined;
  /** Index of the period whose values are shown. */
  at: number;
  charts: Chart[];
}

/** A chart in the page. */
export interface Chart {
  /** The drawing; undefined while the chart is not visible. */
  plot: UPlot | undefined;
  /** Draws the chart again. */
  draw: () => void;
  /** Shows the values of a period. */
  move: (index: number, marked: boolean) => void;
}

/** Colour and dashes of a series. */
export interface SeriesStyle {
  name: string;
  dash: number[];
}
