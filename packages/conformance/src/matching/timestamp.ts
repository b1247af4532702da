const FORMATS: Record<string, { pattern: RegExp; words: string }> = {
  seconds: { pattern: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/, words: "a timestamp YYYY-MM-DDTHH:MM:SS" },
  local: {
    pattern: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?$/,
    words: "a timestamp YYYY-MM-DDTHH:MM:SS, with up to six decimals",
  },
  sql: { pattern: /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)?$/, words: "a timestamp YYYY-MM-DD HH:MM:SS" },
  any: {
    pattern: /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:?\d\d)?$/,
    words: "an ISO 8601 timestamp in any format",
  },
};

/** A format of timestamps in words. */
export function timestampWords(format: string): string {
  const rule = FORMATS[format];
  if (!rule) throw new Error(`$timestamp has no format "${format}"`);
  return rule.words;
}

/** Parameters of `{"$timestamp": format, …}`. */
interface TimestampExpectation {
  format: string;
  /** True for a moment between the start of the case and now. */
  recent?: boolean;
  /** With `recent`: text without a zone is UTC, not local time. */
  utc?: boolean;
  /** This moment, `YYYY-MM-DDTHH:MM:SS`, in any spelling that the format allows. */
  moment?: string;
}

/** Implementations may cut fractions, which loses up to a second. All processes of a run share one clock. */
const TOLERANCE_MS = 2000;

/**
 * Time zone of the adapters: not UTC and with daylight saving time, so that code that confuses UTC and local time
 * fails.
 */
export const ADAPTER_TIME_ZONE = "America/New_York";

/**
 * Compares a timestamp. The specification names no zone, so text without one may be UTC or the local time of the
 * adapter or of this process.
 * @param began start of the case, in milliseconds since 1970.
 * @returns the expectation in words; undefined for a match.
 */
export function timestampFault(wish: TimestampExpectation, began: number, actual: unknown): string | undefined {
  const words = timestampWords(wish.format);
  const { pattern } = FORMATS[wish.format] as (typeof FORMATS)[string];
  const text = typeof actual === "string" && pattern.test(actual) ? actual : undefined;
  if (text === undefined || Number.isNaN(Date.parse(text.replace(" ", "T")))) return words;
  if (wish.moment !== undefined && !isMoment(text, wish.moment)) return `the time ${wish.moment}, in any format`;
  const readings = wish.utc === true ? moments(text).slice(0, 1) : moments(text);
  const near = readings.some((moment) => moment >= began - TOLERANCE_MS && moment <= Date.now() + TOLERANCE_MS);
  return wish.recent === true && !near ? `the current time${wish.utc === true ? " in UTC" : ""}` : undefined;
}

/** The expected text has no zone: equal digits are the same moment, without a zone or with an offset of zero. */
function isMoment(text: string, wanted: string): boolean {
  return (
    text
      .replace(" ", "T")
      .replace(/\.0+(?=$|Z|[+-])/, "")
      .replace(/(Z|[+-]00:?00)$/, "") === wanted
  );
}

/** The moments that a text may mean; if it has no zone, the first is that of UTC. */
function moments(text: string): number[] {
  const iso = text.replace(" ", "T");
  if (/(Z|[+-]\d\d:?\d\d)$/.test(iso)) return [Date.parse(iso)];
  const utc = Date.parse(`${iso}Z`);
  return [utc, Date.parse(iso), utc - offsetOf(ADAPTER_TIME_ZONE, utc)];
}

/** Formats of zones: creating one takes longer than using it. */
const formats: Map<string, Intl.DateTimeFormat> = new Map();

/** Offset of a zone from UTC, in milliseconds. */
function offsetOf(timeZone: string, moment: number): number {
  let parts = formats.get(timeZone);
  if (parts === undefined) {
    const fields = { year: "numeric", month: "2-digit", day: "2-digit", hour: "2-digit", minute: "2-digit" } as const;
    parts = new Intl.DateTimeFormat("en-CA", { timeZone, hourCycle: "h23", second: "2-digit", ...fields });
    formats.set(timeZone, parts);
  }
  const part = Object.fromEntries(parts.formatToParts(moment).map(({ type, value }) => [type, value]));
  const there = Date.parse(`${part.year}-${part.month}-${part.day}T${part.hour}:${part.minute}:${part.second}Z`);
  return there - Math.floor(moment / 1000) * 1000;
}
