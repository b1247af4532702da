import { ValidationError } from "../../errors/errors.ts";
import { describe } from "../../text/describe.ts";
import { assertOptions } from "../../text/options.ts";
import { checkedFlag, checkedRange, type Range } from "../time_range.ts";
import type { Bucket, TrendOptions, UserTrendOptions } from "./trend.ts";
import { DEFAULT_FIGURES, TRUST_UNITS, type TrustFigures } from "./trust.ts";

/** Checked settings of a trend. */
export interface AskedTrend extends Range {
  bucket: Bucket;
  percentiles: boolean;
}

export interface AskedUserTrend extends AskedTrend {
  trust: TrustFigures;
}

const BUCKETS: readonly unknown[] = ["hour", "day", "week", "month"] satisfies Bucket[];

/** @throws ValidationError that names the option. */
export function askedTrend(options: TrendOptions): AskedTrend {
  assertOptions("options", options, ["bucket", "since", "until", "percentiles"]);
  return checkedPeriods(options);
}

/** @throws ValidationError that names the option. */
export function askedUserTrend(options: UserTrendOptions): AskedUserTrend {
  assertOptions("options", options, ["bucket", "since", "until", "percentiles", "trust"]);
  const { trust = {} } = options;
  assertOptions("trust", trust, Object.keys(DEFAULT_FIGURES));
  return { ...checkedPeriods(options), trust: checkedFigures(trust) };
}

function checkedPeriods({ bucket = "day", since, until, percentiles }: TrendOptions): AskedTrend {
  if (!BUCKETS.includes(bucket)) {
    throw new ValidationError(`expected ${BUCKETS.join(", ")}, got ${describe(bucket)}.`, { argument: "bucket" });
  }
  return { bucket, ...checkedRange({ since, until }), percentiles: checkedFlag("percentiles", percentiles) };
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
