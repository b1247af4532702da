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

/** Checked limits: text in UTC, `YYYY-MM-DDTHH:MM:SS.fff`, so that they compare as text. */
export interface Range {
  since: string;
  until: string;
}

/** Moments before and after those of all interactions. */
export const ALWAYS = { since: "0000-01-01T00:00:00.000", until: "9999-12-31T23:59:59.9999" } as const;

/**
 * Checks the only limits that a question takes; undefined without limits, where interactions without a readable time
 * count too.
 *
 * @throws ValidationError that names the option.
 */
export function askedRange(options: RangeOptions | undefined): Range | undefined {
  if (options === undefined) return undefined;
  assertOptions("options", options, ["since", "until"]);
  return limitsAmong(options);
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
