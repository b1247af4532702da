/** Charts with the same periods, as the script `charts.ts` reads them. */
export interface ChartGroup {
  bucket: "hour" | "day" | "week" | "month";
  /** Starts of the periods, seconds since 1970 in UTC, in ascending order. */
  x: number[];
  charts: ChartData[];
}

export interface ChartData {
  title: string;
  format: "count" | "percent" | "milliseconds" | "fraction";
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
