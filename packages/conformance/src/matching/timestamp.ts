const FORMS: Record<string, { pattern: RegExp; words: string }> = {
  seconds: { pattern: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/, words: "a timestamp YYYY-MM-DDTHH:MM:SS" },
  local: {
    pattern: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?$/,
    words: "a timestamp YYYY-MM-DDTHH:MM:SS, with up to six decimals",
  },
  sql: { pattern: /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)?$/, words: "a timestamp YYYY-MM-DD HH:MM:SS" },
  any: {
    pattern: /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:?\d\d)?$/,
    words: "an ISO 8601 timestamp of any spelling",
  },
};

/** What `{"$timestamp": form, …}` asks for. */
interface TimestampWish {
  form: string;
  /** A moment between the beginning of the case and now. */
  recent?: boolean;
  /** This moment, `YYYY-MM-DDTHH:MM:SS`, in whatever spelling the form allows. */
  moment?: string;
}

/** A second is lost where an implementation cuts fractions; clocks of two processes are one clock here. */
const TOLERANCE_MS = 2000;

/**
 * The time zone in which an adapter is started: one that changes its clocks and is not UTC, where code that confuses
 * UTC and local time shows.
 */
export const ADAPTER_TIME_ZONE = "America/New_York";

/**
 * Compares a timestamp. The specification names no zone, so text without one may be UTC or the local time of the
 * adapter or of this process.
 * @param began when the case began, in milliseconds since 1970.
 * @returns what was wanted, in words; undefined for a match.
 */
export function timestampFault(wish: TimestampWish, began: number, actual: unknown): string | undefined {
  const rule = FORMS[wish.form];
  if (!rule) throw new Error(`$timestamp has no form "${wish.form}"`);
  const text = typeof actual === "string" && rule.pattern.test(actual) ? actual : undefined;
  if (text === undefined || Number.isNaN(Date.parse(text.replace(" ", "T")))) return rule.words;
  if (wish.moment !== undefined && !isMoment(text, wish.moment)) return `the moment ${wish.moment}, in any spelling`;
  const near = moments(text).some((moment) => moment >= began - TOLERANCE_MS && moment <= Date.now() + TOLERANCE_MS);
  return wish.recent === true && !near ? "the current time" : undefined;
}

/** The wanted text has no zone: digits that say the same are the same moment, with or without a zone of zero. */
function isMoment(text: string, wanted: string): boolean {
  return (
    text
      .replace(" ", "T")
      .replace(/\.0+(?=$|Z|[+-])/, "")
      .replace(/(Z|[+-]00:?00)$/, "") === wanted
  );
}

function moments(text: string): number[] {
  const iso = text.replace(" ", "T");
  if (/(Z|[+-]\d\d:?\d\d)$/.test(iso)) return [Date.parse(iso)];
  const utc = Date.parse(`${iso}Z`);
  return [utc, Date.parse(iso), utc - offsetOf(ADAPTER_TIME_ZONE, utc)];
}

/** How far a zone is ahead of UTC, in milliseconds. */
function offsetOf(timeZone: string, moment: number): number {
  const fields = { year: "numeric", month: "2-digit", day: "2-digit", hour: "2-digit", minute: "2-digit" } as const;
  const parts = new Intl.DateTimeFormat("en-CA", { timeZone, hourCycle: "h23", second: "2-digit", ...fields });
  const part = Object.fromEntries(parts.formatToParts(moment).map(({ type, value }) => [type, value]));
  const there = Date.parse(`${part.year}-${part.month}-${part.day}T${part.hour}:${part.minute}:${part.second}Z`);
  return there - Math.floor(moment / 1000) * 1000;
}
