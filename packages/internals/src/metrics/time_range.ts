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
  /** True to add the percentiles `p50`, `p95` and `p99` of the response times, for which rows are read. */
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

/**
 * The parameters of the condition that a row is in a range: the limits, and the same as `CURRENT_TIMESTAMP` spells times.
 * SQL would compute them again for each row.
 *
 * @param range Name of the range, with which the names of the parameters begin.
 * @param from The first moment, or the beginning of its text; the same applies to `before`.
 */
export function rangeParameters(range: string, from: string, before: string): Record<string, string> {
  const usual = (moment: string): string => moment.replace("T", " ").replace(".000", "");
  return {
    [`${range}_from`]: from,
    [`${range}_before`]: before,
    // A time of the year 0 is not readable. Without the hyphen, SQLite would compare a number.
    [`${range}_from_usual`]: from < FIRST_YEAR ? FIRST_YEAR : usual(from),
    [`${range}_before_usual`]: usual(before),
    // Nothing in a text moves its moment by more days: zones, and days that its month does not have.
    [`${range}_lowest`]: dayNear(from, -7) ?? "",
    [`${range}_highest`]: dayNear(before, 7) ?? "~",
  };
}

const FIRST_YEAR = "0001-";

/** Undefined if it has no text of ten characters. */
function dayNear(moment: string, days: number): string | undefined {
  const time = Date.parse(moment.slice(0, 10)) + days * 86_400_000;
  const text = Number.isFinite(time) ? new Date(time).toISOString() : "";
  return text.length === 24 ? text.slice(0, 10) : undefined;
}
