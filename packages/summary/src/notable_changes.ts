import { stringifyExact } from "@perdura/internals/json/exact_numbers.js";
import type { JsonValue } from "@perdura/internals/json/values.js";
import type { MetricsSummary, PeriodFigures } from "./document.ts";

/** A figure that is worse than in the period before. */
export interface NotableChange {
  /** A value of the metadata, with its key; undefined for all operations together. */
  of: { key: string; value: JsonValue } | undefined;
  kind: "slower" | "fails more";
  /** Figures before and now: `p95`, or the mean where the percentiles are missing, in milliseconds; or the share of failures. */
  figure: "p95" | "mean" | "failed";
  before: number;
  now: number;
}

/** With fewer operations in one of the periods, a change says little. */
const FEWEST_OPERATIONS = 10;
/** Smallest quotient of response times. */
const SLOWER = 1.2;
/** Smallest difference of the shares of failures. */
const MORE_FAILURES = 0.05;
/** Standard errors by which both shares must differ. */
const STANDARD_ERRORS = 2;

/** Changes for the worse between the two periods of `recent`: all operations first, then values in their order. */
export function notableChanges({ recent, breakdowns }: MetricsSummary): NotableChange[] {
  if (recent === null) return [];
  return [
    ...changesOf(undefined, recent.before, recent.now),
    ...breakdowns.flatMap(({ key, recent: values }) =>
      (values ?? []).flatMap(({ value, before, now }) => changesOf({ key, value }, before, now)),
    ),
  ];
}

function changesOf(of: NotableChange["of"], before: PeriodFigures | null, now: PeriodFigures | null): NotableChange[] {
  if (before === null || now === null) return [];
  if (Math.min(before.total_operations, now.total_operations) < FEWEST_OPERATIONS) return [];
  const changes: NotableChange[] = [];
  const figure = before.p95 === null || now.p95 === null ? "mean" : "p95";
  const timeOf = ({ p95, avg_response_time_ms: mean }: PeriodFigures): number =>
    figure === "p95" ? (p95 ?? mean) : mean;
  const [earlier, later] = [timeOf(before), timeOf(now)];
  if (earlier > 0 && later >= earlier * SLOWER)
    changes.push({ of, kind: "slower", figure, before: earlier, now: later });
  const [share, larger] = [1 - before.success_rate, 1 - now.success_rate];
  if (larger - share >= Math.max(MORE_FAILURES, STANDARD_ERRORS * standardError(before, now)))
    changes.push({ of, kind: "fails more", figure: "failed", before: share, now: larger });
  return changes;
}

/** Standard error of the difference of two shares, from both together. */
function standardError(one: PeriodFigures, other: PeriodFigures): number {
  const [count, more] = [one.total_operations, other.total_operations];
  const share = (one.success_rate * count + other.success_rate * more) / (count + more);
  return Math.sqrt(share * (1 - share) * (1 / count + 1 / more));
}

/** The forms in which a program writes figures. */
export interface FigureTexts {
  duration: (milliseconds: number) => string;
  percent: (share: number) => string;
  name: (name: string) => string;
}

/** A sentence such as `search (tool) is slower: p95 420 ms, before 300 ms.` */
export function changeSentence({ of, kind, figure, before, now }: NotableChange, texts: FigureTexts): string {
  const subject =
    of === undefined ? "Everything together" : `${texts.name(valueName(of.value))} (${texts.name(of.key)})`;
  const text = figure === "failed" ? texts.percent : texts.duration;
  const verb = kind === "slower" ? "is slower" : "fails more";
  const what = figure === "failed" ? "" : `${figure} `;
  return `${subject} ${verb}: ${what}${text(now)}, before ${text(before)}.`;
}

/** A value of the metadata as a person reads it. */
export function valueName(value: JsonValue): string {
  if (value === null) return "(none)";
  return typeof value === "string" ? value : stringifyExact(value);
}
