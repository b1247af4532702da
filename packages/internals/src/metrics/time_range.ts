import { ValidationError } from "../errors/errors.ts";
import { describe } from "../text/describe.ts";
import { assertOptions } from "../text/options.ts";
import { isTimestamp } from "../text/timestamps.ts";

/** Limits of the interactions that a question counts. */
export interface RangeOptions {
  /**
   * The first moment whose interactions are included: a Date, or text in UTC, `YYYY-MM-DD` or `YYYY-MM-DDTHH:MM:SS`
   * with an optional fraction. No limit by default.
   */
  since?: Date | string | undefined;
  /** The first moment whose interactions are not included any more; the same forms as `since`. No limit by default. */
  until?: Date | string | undefined;
}

/** Settings of `getUserStats` and `getGlobalStats`. */
export interface StatisticsOptions extends RangeOptions {
  /** True to add the percentiles `p50`, `p95` and `p99` of the response times. Rows are read for them; see `getUserStats`. */
  percentiles?: boolean | undefined;
}

/** Checked settings of statistics. */
export interface AskedStatistics {
  /** Undefined without limits, where interactions without a readable time count too. */
  range: Range | undefined;
  percentiles: boolean;
}

/** Checked limits: text in UTC, `YYYY-MM-DDTHH:MM:SS.fff`, so that they compare as text. */
export interface Range {
  since: string;
  until: string;
}

/** Moments before and after those of all interactions. */
export const ALWAYS = { since: "0000-01-01T00:00:00.000", until: "9999-12-31T23:59:59.9999" } as const;

/** @throws ValidationError that names the option. */
export function askedStatistics(options: StatisticsOptions | undefined): AskedStatistics {
  if (options === undefined) return ALL_TIME;
  assertOptions("options", options, ["since", "until", "percentiles"]);
  return { range: limitsAmong(options), percentiles: checkedFlag("percentiles", options.percentiles) };
}

const ALL_TIME: AskedStatistics = { range: undefined, percentiles: false };

/** False if absent. */
export function checkedFlag(argument: string, flag: unknown): boolean {
  if (flag === undefined || typeof flag === "boolean") return flag ?? false;
  throw new ValidationError(`expected a boolean, got ${describe(flag)}.`, { argument });
}

/** Checks the limits among other options; undefined without limits. */
export function limitsAmong({ since, until }: RangeOptions): Range | undefined {
  return since === undefined && until === undefined ? undefined : checkedRange({ since, until });
}

/** Without limits the range contains every moment. */
export function checkedRange({ since, until }: RangeOptions): Range {
  return {
    since: since === undefined ? ALWAYS.since : checkedMoment("since", since),
    until: until === undefined ? ALWAYS.until : checkedMoment("until", until),
  };
}

/** @throws ValidationError that names the argument. */
export function checkedMoment(argument: string, given: unknown): string {
  const text = given instanceof Date ? dateText(given) : given;
  if (typeof text === "string") {
    const zoneless = text.endsWith("Z") ? text.slice(0, -1) : text;
    if (zoneless.length === 10 && text.length === 10 && isTimestamp(`${text}T00:00:00`)) return `${text}T00:00:00.000`;
    if (isTimestamp(zoneless)) {
      const milliseconds = zoneless.slice(20, 23).padEnd(3, "0");
      return `${zoneless.slice(0, 10)}T${zoneless.slice(11, 19)}.${milliseconds}`;
    }
  }
  throw new ValidationError(
    `expected a Date, or a date or time in UTC (YYYY-MM-DD or YYYY-MM-DDTHH:MM:SS), got ${describe(given)}.`,
    { argument },
  );
}

/** ISO 8601; undefined for an invalid date. */
function dateText(date: Date): string | undefined {
  return Number.isFinite(date.getTime()) ? date.toISOString() : undefined;
}

/** Names of the parameters of the condition that a row is in a range; each begins with the name of the range. */
export interface RangeNames {
  from: string;
  before: string;
  /** The limits as `CURRENT_TIMESTAMP` spells times. SQL would compute them again for each row. */
  fromUsual: string;
  beforeUsual: string;
  /** Texts before and after those of the range: zones, and days that a month does not have, move moments by a few days. */
  lowest: string;
  highest: string;
}

export function rangeNames(range: string): RangeNames {
  return {
    from: `${range}_from`,
    before: `${range}_before`,
    fromUsual: `${range}_from_usual`,
    beforeUsual: `${range}_before_usual`,
    lowest: `${range}_lowest`,
    highest: `${range}_highest`,
  };
}

/**
 * Sets the parameters of the condition that a row is in a range.
 *
 * @param from The first moment, or the beginning of its text; the same applies to `before`.
 */
export function setRange(into: Record<string, string>, names: RangeNames, from: string, before: string): void {
  into[names.from] = from;
  into[names.before] = before;
  // A time of the year 0 is not readable. Without the hyphen, SQLite would compare a number.
  into[names.fromUsual] = from < FIRST_YEAR ? FIRST_YEAR : usual(from);
  into[names.beforeUsual] = usual(before);
}

/** Sets the parameters of the condition that a row is not far from a range. */
export function setNear(into: Record<string, string>, names: RangeNames, from: string, before: string): void {
  into[names.lowest] = from < FIRST_YEAR ? "" : dayBefore(from);
  into[names.highest] = before > LAST_YEAR ? "~" : `${dayAfter(before)}~`;
}

const FIRST_YEAR = "0001-";
const LAST_YEAR = "9999-";

const usual = (moment: string): string => moment.replace("T", " ").replace(".000", "");

/**
 * The first day of which texts may stand for this moment or a later one, because of a zone. The 31st of a shorter month is
 * one of the first three days of the next one. Without a Date, which takes longer than a short question; the same applies
 * to the next two functions.
 */
function dayBefore(moment: string): string {
  const day = Number(moment.slice(8, 10));
  // No month is shorter than 28 days.
  return day > 4 ? `${moment.slice(0, 8)}${twoDigits(day - 1)}` : `${monthNear(moment, -1)}-28`;
}

/** The last day of which texts may stand for an earlier moment. */
function dayAfter(moment: string): string {
  const day = Number(moment.slice(8, 10));
  return day < 28 ? `${moment.slice(0, 8)}${twoDigits(day + 1)}` : `${monthNear(moment, 1)}-01`;
}

const twoDigits = (number: number): string => String(number).padStart(2, "0");

/** A month before or after that of a moment, `YYYY-MM`. */
function monthNear(moment: string, months: number): string {
  const month = 12 * Number(moment.slice(0, 4)) + Number(moment.slice(5, 7)) - 1 + months;
  return `${String(Math.floor(month / 12)).padStart(4, "0")}-${twoDigits((month % 12) + 1)}`;
}
