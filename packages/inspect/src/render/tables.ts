import { countText, numberText } from "@perdura/cli/quantities.js";
import { type Column, Table } from "@perdura/cli/table.js";
import { type Paint, printable } from "@perdura/cli/terminal.js";
import { stringifyExact } from "@perdura/internals/json/exact_numbers.js";
import type { BreakdownRow } from "@perdura/internals/metrics/breakdown/breakdown.js";
import type { TrendPeriod } from "@perdura/internals/metrics/trends/trend.js";
import type { PatternSummary, StateSummary, UserReport } from "@perdura/summary/document.js";
import type { ListedUserSummary } from "@perdura/summary/summarize_metrics.js";
import { valueName } from "@perdura/summary/notable_changes.js";
import { durationText, fractionText, optionalText, percentText } from "@perdura/summary/figure_texts.js";

/** A table as lines; empty without rows. */
export function tableLines<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  width: number,
  paint: Paint,
): string[] {
  if (rows.length === 0) return [];
  const table = new Table(columns, rows, width);
  return [paint.bold(table.title()), ...rows.map((row) => table.row(row)), ...table.omitted()];
}

/** Share of successes, or a dash if nothing was counted. */
function successShare({ success_count: good, failure_count: bad }: PatternSummary): string {
  return good + bad === 0 ? "-" : percentText(good / (good + bad));
}

export const PATTERN_COLUMNS: readonly Column<PatternSummary>[] = [
  { title: "id", rank: 0, text: ({ id }) => printable(id) },
  { title: "name", rank: 5, text: ({ name }) => printable(name) },
  { title: "agent", rank: 4, text: ({ agent_id }) => printable(agent_id) },
  { title: "type", rank: 3, text: ({ pattern_type }) => printable(pattern_type) },
  { title: "confidence", right: true, rank: 2, text: ({ confidence }) => fractionText(confidence) },
  { title: "uses", right: true, rank: 1, text: ({ usage_count }) => numberText(usage_count) },
  { title: "success", right: true, rank: 2, text: successShare },
];

export const USER_COLUMNS: readonly Column<ListedUserSummary>[] = [
  { title: "user", rank: 0, text: ({ user_id }) => printable(user_id) },
  { title: "operations", right: true, rank: 1, text: ({ total_operations }) => numberText(total_operations) },
  { title: "success", right: true, rank: 2, text: ({ success_rate }) => percentText(success_rate) },
  {
    title: "response",
    right: true,
    rank: 3,
    text: ({ avg_response_time_ms: mean }) => durationText(mean),
  },
  { title: "p95", right: true, rank: 4, text: ({ p95 }) => (p95 === null ? "-" : durationText(p95)) },
  { title: "level", right: true, rank: 4, text: ({ current_level }) => optionalText(current_level) },
  { title: "trust", right: true, rank: 4, text: ({ trust }) => fractionText(trust) },
  { title: "last use", rank: 5, text: ({ last_use }) => printable(last_use ?? "-") },
];

export const INTERACTION_COLUMNS: readonly Column<UserReport["interactions"][number]>[] = [
  { title: "id", right: true, rank: 4, text: ({ id }) => String(id) },
  { title: "time (UTC)", rank: 1, text: ({ timestamp }) => printable(timestamp ?? "-") },
  { title: "result", rank: 0, text: ({ success }) => (success ? "successful" : "failed") },
  {
    title: "response",
    right: true,
    rank: 1,
    text: ({ response_time_ms: time }) => (time === null ? "-" : durationText(time)),
  },
  { title: "level", right: true, rank: 3, text: ({ level }) => optionalText(level) },
  {
    title: "metadata",
    rank: 2,
    text: ({ metadata }) => (metadata === null ? "-" : printable(stringifyExact(metadata))),
  },
];

export const STATE_COLUMNS: readonly Column<StateSummary>[] = [
  { title: "user", rank: 0, text: ({ user_id }) => printable(user_id) },
  { title: "trust", right: true, rank: 1, text: ({ trust_level }) => fractionText(trust_level) },
  { title: "level", right: true, rank: 2, text: ({ current_level }) => optionalText(current_level) },
  { title: "target", right: true, rank: 4, text: ({ target_level }) => optionalText(target_level) },
  { title: "interactions", right: true, rank: 3, text: ({ interaction_count }) => optionalText(interaction_count) },
  { title: "successes", right: true, rank: 4, text: ({ success_count }) => optionalText(success_count) },
  { title: "last interaction", rank: 5, text: ({ last_interaction }) => printable(last_interaction ?? "-") },
];

/** Columns of a trend; trust only for a user. */
export function trendColumns(hasTrust: boolean): Column<TrendPeriod & { trust?: number }>[] {
  return [
    { title: "period (UTC)", rank: 0, text: ({ period }) => period },
    { title: "operations", right: true, rank: 1, text: ({ total_operations }) => numberText(total_operations) },
    { title: "success", right: true, rank: 2, text: ({ success_rate }) => percentText(success_rate) },
    { title: "response", right: true, rank: 3, text: ({ avg_response_time_ms }) => durationText(avg_response_time_ms) },
    {
      title: "levels 1 to 5",
      rank: 5,
      text: (period) => [1, 2, 3, 4, 5].map((level) => period[`level_${level}_count` as "level_1_count"]).join(" "),
    },
    ...(hasTrust
      ? [{ title: "trust", right: true, rank: 1, text: ({ trust }: { trust?: number }) => fractionText(trust ?? null) }]
      : []),
  ];
}

/** Columns of a breakdown by a key of the metadata. */
export function breakdownColumns(key: string, numbers: readonly string[]): Column<BreakdownRow>[] {
  const time = (name: "p50" | "p95" | "p99", rank: number): Column<BreakdownRow> => ({
    title: name,
    right: true,
    rank,
    text: (row) => (row[name] === null ? "-" : durationText(row[name])),
  });
  return [
    { title: printable(key), rank: 0, text: valueText },
    { title: "operations", right: true, rank: 1, text: ({ total_operations }) => numberText(total_operations) },
    { title: "success", right: true, rank: 1, text: ({ success_rate }) => percentText(success_rate) },
    { title: "response", right: true, rank: 4, text: ({ avg_response_time_ms }) => durationText(avg_response_time_ms) },
    time("p50", 3),
    time("p95", 2),
    time("p99", 4),
    ...numbers.map((name): Column<BreakdownRow> => ({
      title: printable(name),
      right: true,
      rank: 2,
      text: ({ numbers: sums }) => sumText(sums?.[name]?.sum ?? 0),
    })),
  ];
}

function sumText(sum: number): string {
  return Number.isSafeInteger(sum) ? numberText(sum) : String(Number(sum.toPrecision(6)));
}

function valueText(row: BreakdownRow): string {
  if (row.others !== undefined) return `(${countText(row.others, "other value")})`;
  return printable(valueName(row.value));
}
