import type { ChartData, Shared } from "./chart_group.ts";
import type { Durations } from "./durations.ts";

/**
 * Texts of the charts: names of periods, values, labels of the axes. It is embedded as text, so it uses nothing outside of
 * this function except for its parameter.
 */
export function chartTexts({ durationText }: Durations): ChartTexts {
  const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
  const DAY = 86_400;
  return { periodName, formatted, axisText, timeLabels };

  function periodName(seconds: number, { group: { bucket } }: Shared): string {
    const text = new Date(seconds * 1000).toISOString();
    if (bucket === "hour") return `${text.slice(0, 10)} ${text.slice(11, 16)} UTC`;
    if (bucket === "month") return text.slice(0, 7);
    return bucket === "week" ? `week of ${text.slice(0, 10)}` : text.slice(0, 10);
  }

  function formatted(value: number | null, format: ChartData["format"]): string {
    if (value === null) return "–";
    if (format === "percent") {
      if (value === 0 || value === 1) return `${value * 100}%`;
      // A single failure in a million is still a failure.
      if (value < 0.0005) return "<0.1%";
      return value >= 0.9995 ? ">99.9%" : `${(value * 100).toFixed(1)}%`;
    }
    if (format === "fraction") return value.toFixed(2);
    if (format === "duration") return durationText(value);
    return value.toLocaleString("en-US");
  }

  function axisText(value: number, format: Exclude<ChartData["format"], "duration">): string {
    if (format === "percent") return `${Number((value * 100).toFixed(1))}%`;
    if (format === "fraction") return value.toFixed(1);
    return value.toLocaleString("en-US", { notation: value >= 10_000 ? "compact" : "standard" });
  }

  /** Labels of the axis of time; the year is in a second line where it changes. */
  function timeLabels(splits: number[], step: number): string[] {
    let before = "";
    return splits.map((seconds) => {
      const date = new Date(seconds * 1000);
      const year = String(date.getUTCFullYear());
      const day = `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]!}`;
      if (step >= 365 * DAY) return year;
      const [label, second] =
        step < DAY
          ? [date.toISOString().slice(11, 16), day]
          : [step >= 28 * DAY ? MONTHS[date.getUTCMonth()]! : day, year];
      const text = second === before ? label : `${label}\n${second}`;
      before = second;
      return text;
    });
  }
}

export interface ChartTexts {
  /** Name of the period that starts at `seconds` since 1970. */
  periodName: (seconds: number, shared: Shared) => string;
  /** A value with its unit, for the legend. */
  formatted: (value: number | null, format: ChartData["format"]) => string;
  /** A value on the axis. Durations on an axis have a common unit. */
  axisText: (value: number, format: Exclude<ChartData["format"], "duration">) => string;
  /** Labels of the axis of time; `step` is the distance of two labels in seconds. */
  timeLabels: (splits: number[], step: number) => string[];
}
