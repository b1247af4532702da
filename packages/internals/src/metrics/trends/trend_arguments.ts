import { ValidationError } from "../../errors/errors.ts";
import { describe } from "../../text/describe.ts";
import { assertOptions } from "../../text/options.ts";
import { isTimestamp } from "../../text/timestamps.ts";
import type { Bucket, TrendOptions, UserTrendOptions } from "./trend.ts";
import { DEFAULT_FIGURES, TRUST_UNITS, type TrustFigures } from "./trust.ts";

/** Checked settings of a trend. Moments are text in UTC, `YYYY-MM-DDTHH:MM:SS.fff`, so that they compare as text. */
export interface AskedTrend {
  bucket: Bucket;
  since: string;
  until: string;
}

export interface AskedUserTrend extends AskedTrend {
  trust: TrustFigures;
}

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

/** Checked limits, as text in UTC. */
export type Range = Pick<AskedTrend, "since" | "until">;

const BUCKETS: readonly unknown[] = ["hour", "day", "week", "month"] satisfies Bucket[];

/** Moments before and after those of all interactions. */
export const ALWAYS = { since: "0000-01-01T00:00:00.000", until: "9999-12-31T23:59:59.9999" } as const;

/** @throws ValidationError that names the option. */
export function askedTrend(options: TrendOptions): AskedTrend {
  assertOptions("options", options, ["bucket", "since", "until"]);
  return checkedPeriods(options);
}

/** @throws ValidationError that names the option. */
export function askedUserTrend(options: UserTrendOptions): AskedUserTrend {
  assertOptions("options", options, ["bucket", "since", "until", "trust"]);
  const { trust = {} } = options;
  assertOptions("trust", trust, Object.keys(DEFAULT_FIGURES));
  return { ...checkedPeriods(options), trust: checkedFigures(trust) };
}

function checkedPeriods({ bucket = "day", since, until }: TrendOptions): AskedTrend {
  if (!BUCKETS.includes(bucket)) {
    throw new ValidationError(`expected ${BUCKETS.join(", ")}, got ${describe(bucket)}.`, { argument: "bucket" });
  }
  return {
    bucket,
    ...checkedRange({ since, until }),
  };
}

/** Checks the limits of a range; without limits it contains every moment. */
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

function checkedFigures(figures: Partial<TrustFigures>): TrustFigures {
  const checked = { ...DEFAULT_FIGURES };
  for (const name of Object.keys(DEFAULT_FIGURES) as (keyof TrustFigures)[]) {
    const figure: unknown = figures[name] === undefined ? DEFAULT_FIGURES[name] : figures[name];
    if (typeof figure !== "number" || !(figure >= 0 && figure <= 1)) {
      throw new ValidationError(`expected a number from 0 to 1, got ${describe(figure)}.`, {
        argument: `trust.${name}`,
      });
    }
    checked[name] = Math.round(figure * TRUST_UNITS) / TRUST_UNITS;
  }
  return checked;
}
