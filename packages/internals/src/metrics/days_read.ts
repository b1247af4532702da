import { type Range, type RangeNames, rangeNames, setNear, setRange } from "./time_range.ts";

/**
 * The limits of a question that is answered from the sums of days, and the days whose rows are read instead: `from1` to
 * `to1` and `from2` to `to2`. It has the parameters of {@link rangeNames} of all interactions, `counted` between the limits
 * and `earlier` before them, and the same of these days, with their number.
 */
export interface DaysRead extends Range, Record<string, string> {
  from1: string;
  to1: string;
  from2: string;
  to2: string;
}

interface DayRange {
  from: string;
  to: string;
}

/** A range without a day. */
const NO_DAYS: DayRange = { from: "~", to: "" };

/** The end of a moment at the beginning of a day. */
export const MIDNIGHT = "T00:00:00.000";

/**
 * Rows are read of the days that a limit divides.
 *
 * @param readsAll True if the rows of all days within the limits are read, because the question is about hours.
 */
export function daysRead({ since, until }: Range, readsAll: boolean = false): DaysRead {
  const [first = NO_DAYS, second = NO_DAYS] = readsAll
    ? [{ from: since.slice(0, 10), to: until.slice(0, 10) }]
    : dividedDays([since, until]);
  const read: DaysRead = { since, until, from1: first.from, to1: first.to, from2: second.from, to2: second.to };
  setRange(read, COUNTED[0], since, until);
  setNear(read, COUNTED[0], since, until);
  const end = lower(since, until);
  setRange(read, EARLIER[0], "", end);
  setNear(read, EARLIER[0], "", end);
  for (const [which, { from, to }] of [
    [1, first],
    [2, second],
  ] as const) {
    // Greater than all moments of the day.
    const before = `${to}U`;
    setRange(read, COUNTED[which], from > since ? from : since, lower(before, until));
    setRange(read, EARLIER[which], from, lower(before, end));
  }
  return read;
}

/** The names of the parameters of all interactions, and of the first and second range of days. */
const [COUNTED, EARLIER] = ["counted", "earlier"].map((are) =>
  ["", "1", "2"].map((which) => rangeNames(are + which)),
) as [[RangeNames, RangeNames, RangeNames], [RangeNames, RangeNames, RangeNames]];

const lower = (one: string, other: string): string => (one < other ? one : other);

function dividedDays(limits: readonly string[]): DayRange[] {
  const days = limits.filter((moment) => !moment.endsWith(MIDNIGHT)).map((moment) => moment.slice(0, 10));
  return [...new Set(days)].map((day) => ({ from: day, to: day }));
}
