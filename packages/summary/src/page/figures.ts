import { durations } from "./client/durations.ts";

const { durationText } = durations();

/** Shown instead of a missing value. */
export const MISSING = "–";

/** A number of things, with separators of thousands. */
export function wholeNumber(value: number | null): string {
  if (value === null) return MISSING;
  return Number.isFinite(value) && Math.abs(value) < 1e15 ? value.toLocaleString("en-US") : String(value);
}

/** A number with its noun, for example `1 user` or `1,204 users`. */
export function counted(value: number, singular: string, plural: string = `${singular}s`): string {
  return `${wholeNumber(value)} ${value === 1 ? singular : plural}`;
}

/**
 * A fraction as a percentage with one decimal. Fractions that are almost 0 or 1 are not rounded to `0.0%` or `100.0%`,
 * because a single failure in a million is still a failure.
 */
export function percent(value: number | null): string {
  if (value === null) return MISSING;
  if (!Number.isFinite(value)) return String(value);
  if (value === 0 || value === 1) return `${value * 100}%`;
  if (value > 0 && value < 0.0005) return "<0.1%";
  if (value < 1 && value >= 0.9995) return ">99.9%";
  return `${(value * 100).toFixed(1)}%`;
}

/** A fraction from 0 to 1 with two decimals, for confidence and trust; three decimals next to 0 and 1. */
export function fraction(value: number | null): string {
  if (value === null) return MISSING;
  if (!Number.isFinite(value) || value < 0 || value > 1) return String(value);
  const text = value.toFixed(2);
  return value > 0 && value < 1 && (text === "0.00" || text === "1.00") ? value.toPrecision(3) : text;
}

/** A mean response time; null and 0 mean that none was recorded. */
export function responseTime(milliseconds: number | null): string {
  return milliseconds === null || milliseconds === 0 ? MISSING : durationText(milliseconds);
}

/** A size in decimal units, for example `1.2 MB`. */
export function size(bytes: number | null): string {
  if (bytes === null) return MISSING;
  if (bytes < 1000) return `${bytes} B`;
  const units = ["kB", "MB", "GB", "TB", "PB"];
  const step = Math.min(units.length, Math.floor(Math.log10(bytes) / 3));
  return `${(bytes / 1000 ** step).toFixed(1)} ${units[step - 1] as string}`;
}

/** A timestamp without its fraction of a second; other text is unchanged. */
export function moment(text: string | null): string {
  if (text === null) return MISSING;
  const [, day, time] = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d)?)(?:\.\d+)?Z?$/.exec(text) ?? [];
  return day === undefined || time === undefined ? text : `${day} ${time}`;
}

/** A timestamp to the minute; other text is unchanged. */
export function minute(text: string | null): string {
  return moment(text).replace(/^(\d{4}-\d\d-\d\d \d\d:\d\d):\d\d$/, "$1");
}
