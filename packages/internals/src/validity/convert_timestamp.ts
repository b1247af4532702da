import { isTimestamp } from "../text/timestamps.ts";

/** Conversion of a time zone: it is left out, or the time is converted to UTC. */
export type TimestampRepair = "drop-zone" | "utc";

/** Reason why a timestamp does not have the form of section 2.1, although it can be converted. */
export type TimestampFault = "with_zone" | "a_number" | "a_date_alone" | "without_seconds" | "other_notation" | "empty";

/** A timestamp that can be converted. */
interface ConvertibleTimestamp {
  fault: TimestampFault;
  /** The converted timestamp, null for an empty one; undefined if it would be outside of the calendar. */
  repaired: string | null | undefined;
}

/** The forms of ISO 8601 that programs write: with or without hyphens, colons, seconds, a fraction and a zone. */
const NOTATIONS =
  /^\s*(?<year>\d{4})(?<hyphen>-?)(?<month>\d\d)\k<hyphen>(?<day>\d\d)(?:[T ](?<hour>\d\d)(?::?(?<minute>\d\d)(?::?(?<second>\d\d)(?:[.,](?<fraction>\d+))?)?)?)?\s*(?<zone>z|utc|gmt|[+-]\d\d(?::?\d\d(?::?\d\d)?)?)?\s*$/i;

/** Fourteen digits. As milliseconds since 1970 they would be in the year 2286 or later. */
const COMPACT = /^(\d{8})(\d{6})$/;

/**
 * Converts a timestamp of a field program to the form of specification section 2.1, digit for digit.
 *
 * - a zone is left out (`drop-zone`), or the time is converted to UTC (`utc`);
 * - a number counts the seconds since 1970 in UTC, or the milliseconds if it is that large; the digits of a calendar
 *   date are one;
 * - a date alone means its midnight, and missing minutes and seconds are 0;
 * - of a fraction, six digits are kept;
 * - empty text means that there is no timestamp.
 *
 * @returns Undefined for any other value.
 */
export function convertTimestamp(value: unknown, repair: TimestampRepair): ConvertibleTimestamp | undefined {
  const text = typeof value === "number" ? plainText(value) : typeof value === "string" ? value : undefined;
  if (text === undefined) return undefined;
  if (text.trim() === "") return { fault: "empty", repaired: null };
  return fromCalendar(text.replace(COMPACT, "$1T$2"), repair) ?? fromEpoch(text);
}

function fromCalendar(text: string, repair: TimestampRepair): ConvertibleTimestamp | undefined {
  const { year, month, day, hour, minute, second, fraction, zone } = NOTATIONS.exec(text)?.groups ?? {};
  if (year === undefined || (zone !== undefined && hour === undefined)) return undefined;
  const part = fraction === undefined ? "" : `.${fraction.slice(0, 6)}`;
  const local = `${year}-${month}-${day}T${hour ?? "00"}:${minute ?? "00"}:${second ?? "00"}${part}`;
  if (!isTimestamp(local)) return undefined;
  const repaired = repair === "utc" && zone !== undefined ? shifted(local, -secondsOf(zone)) : local;
  if (zone !== undefined) return { fault: "with_zone", repaired };
  const fault = hour === undefined ? "a_date_alone" : second === undefined ? "without_seconds" : "other_notation";
  return { fault, repaired };
}

/** First second after the year 9999: a number from here on counts milliseconds. */
const LAST_SECOND = 253_402_300_800;

/** Programs wrote `time.time()` as a number, and as its text. */
function fromEpoch(text: string): ConvertibleTimestamp | undefined {
  const [, whole, fraction = ""] = /^(\d{9,15})(?:\.(\d{1,9}))?$/.exec(text) ?? [];
  if (whole === undefined) return undefined;
  const isMilliseconds = Number(whole) >= LAST_SECOND;
  const seconds = isMilliseconds ? whole.slice(0, -3) : whole;
  // Further digits are rounding errors of a double.
  const digits = `${isMilliseconds ? whole.slice(-3) : ""}${fraction}`.slice(0, 6).replace(/0+$/, "");
  const moment = new Date(Number(seconds) * 1000).toISOString().slice(0, 19);
  return { fault: "a_number", repaired: digits === "" ? moment : `${moment}.${digits}` };
}

/** A number without an exponent. */
const plainText = (value: number): string | undefined => (Math.abs(value) < 1e21 ? String(value) : undefined);

/** The offset of a zone from UTC, in seconds. */
function secondsOf(zone: string): number {
  const [, sign, hours, minutes = "0", seconds = "0"] = /^([+-])(\d\d):?(\d\d)?:?(\d\d)?$/.exec(zone) ?? [];
  if (hours === undefined) return 0;
  return (sign === "-" ? -1 : 1) * (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds));
}

/** The time some seconds later, with unchanged digits after the point. */
function shifted(local: string, seconds: number): string | undefined {
  const moment = new Date(`${local.slice(0, 19)}Z`).getTime() + seconds * 1000;
  const text = `${new Date(moment).toISOString().slice(0, 19)}${local.slice(19)}`;
  return isTimestamp(text) ? text : undefined;
}
