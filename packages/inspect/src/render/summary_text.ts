import { countText, numberText, sizeText } from "@perdura/cli/quantities.js";
import { shownPath, shownText } from "@perdura/cli/shown_paths.js";
import { type Paint, printable } from "@perdura/cli/terminal.js";
import type {
  BreakdownSummary,
  DatabaseSummary,
  LibrarySummary,
  MetricsSummary,
  PatternsSummary,
  PeriodFigures,
  StatesSummary,
  Summary,
} from "@perdura/summary/document.js";
import { durationText, fractionText, percentText, sparkline } from "@perdura/summary/figure_texts.js";
import { changeSentence, notableChanges } from "@perdura/summary/notable_changes.js";
import { rangeText } from "@perdura/summary/shown_range.js";
import { breakdownColumns, PATTERN_COLUMNS, STATE_COLUMNS, tableLines, USER_COLUMNS } from "./tables.ts";

/** The page of a terminal: its width and styles. */
export interface TextPage {
  width: number;
  paint: Paint;
}

/** The whole overview as lines. */
export function summaryLines(summary: Summary, page: TextPage): string[] {
  const { databases, libraries, state_directories: states, archives, backups, left_alone, unreadable } = summary;
  const sections = [
    summary.range === null ? [] : [`Only operations ${rangeText(summary.range)}; patterns and states of all time.`],
    ...databases.map((each) => databaseLines(each, page)),
    ...libraries.map((each) => libraryLines(each, page)),
    ...states.map((each) => statesLines(each, "state directory", page)),
    ...archives.map((each) => statesLines(each, "archive of a state directory", page)),
    backups.map(({ path, bytes, of }) => `${shownPath(path)}  ${sizeText(bytes)}, backup of ${shownPath(of)}`),
    unreadable.map(
      ({ path, reason }) => `${page.paint.bad(shownPath(path))}  cannot be read: ${shownText(sentence(reason))}`,
    ),
    left_alone.length === 0 ? [] : [`${countText(left_alone.length, "path")} not shown (see --json).`],
  ];
  return sections.flatMap((lines) => (lines.length === 0 ? [] : [...lines, ""]));
}

/** One line with the numbers of everything that was found. */
export function summarySentence({ databases, libraries, state_directories, archives, unreadable }: Summary): string {
  const parts = [
    countText(databases.length, "database"),
    ...(libraries.length === 0 ? [] : [countText(libraries.length, "library in JSON", "libraries in JSON")]),
    ...(state_directories.length === 0
      ? []
      : [countText(state_directories.length, "state directory", "state directories")]),
    ...(archives.length === 0 ? [] : [countText(archives.length, "archive")]),
    ...(unreadable.length === 0 ? [] : [`${numberText(unreadable.length)} unreadable`]),
  ];
  return `${parts.join(", ")}.`;
}

function databaseLines(
  { path, bytes, line, layout, metrics, patterns, orphaned_metadata: orphans, quarantined }: DatabaseSummary,
  page: TextPage,
): string[] {
  const size = bytes === null ? "" : `${sizeText(bytes)}, `;
  const reader = line === null ? "no line reads its metrics before a migration" : `read by ${line}`;
  return [
    `${page.paint.bold(shownPath(path))}  ${size}${layout}${metrics === null && patterns === null ? "" : `; ${reader}`}`,
    ...(metrics === null ? [] : indented(metricsLines(metrics, narrower(page)))),
    ...(patterns === null ? [] : indented(patternsLines(patterns, narrower(page)))),
    ...(orphans === 0
      ? []
      : indented([
          `${countText(orphans, "metadata text")} without an interaction, which another program left; see perdura-migrate forget --orphans`,
        ])),
    ...indented(
      quarantined.map(
        ({ table, reason, rows }) =>
          `in quarantine: ${countText(rows, "row")} of ${printable(table)}, ${printable(reason)}`,
      ),
    ),
  ];
}

/** Metrics as lines. */
export function metricsLines(metrics: MetricsSummary, page: TextPage): string[] {
  if (metrics.operations === 0) return ["no operations"];
  return [
    `${countText(metrics.operations, "operation")} of ${countText(metrics.users, "user")}${span(metrics)}`,
    `success rate ${percentText(metrics.success_rate)}, mean response time ${durationText(metrics.avg_response_time_ms)}${p95Text(metrics.percentiles?.p95)}`,
    levelsLine(metrics),
    ...(metrics.without_time === 0
      ? []
      : [`${countText(metrics.without_time, "operation")} without a readable time, not part of the trend`]),
    ...trendLines(metrics, page),
    ...recentLines(metrics),
    ...metrics.breakdowns.flatMap((breakdown) => breakdownLines(breakdown, page)),
    ...(metrics.top_users.length === 0
      ? []
      : [
          "",
          ...tableLines(USER_COLUMNS, metrics.top_users, page.width, page.paint),
          ...more(metrics.users, metrics.top_users.length, "users"),
        ]),
  ];
}

function p95Text(p95: number | null | undefined): string {
  return typeof p95 === "number" ? `, p95 ${durationText(p95)}` : "";
}

/** The newest days against those before, and what became worse. */
function recentLines(metrics: MetricsSummary): string[] {
  const { recent } = metrics;
  if (recent === null) return [];
  const figures = ({ total_operations, success_rate, avg_response_time_ms: mean, p95 }: PeriodFigures): string =>
    `${countText(total_operations, "operation")}, success ${percentText(success_rate)}, response ${durationText(mean)}${p95Text(p95)}`;
  const period = recent.days === 1 ? "day" : `${recent.days} days`;
  return [
    "",
    `last ${period}: ${figures(recent.now)}`,
    `${period} before: ${figures(recent.before)}`,
    ...notableChanges(metrics)
      .slice(0, MOST_CHANGES)
      .map((change) => changeSentence(change, { duration: durationText, percent: percentText, name: printable })),
  ];
}

/** Largest number of changes with a line. */
const MOST_CHANGES = 5;

function breakdownLines({ key, values }: BreakdownSummary, { width, paint }: TextPage): string[] {
  if (values === null)
    return [
      "",
      `by ${printable(key)}: not counted, because of more than 100,000 operations; see perdura-inspect metrics breakdown`,
    ];
  const numbers = Object.keys(values[0]?.numbers ?? {});
  return ["", ...tableLines(breakdownColumns(key, numbers), values, width, paint)];
}

function span({ first_use: first, last_use: last }: MetricsSummary): string {
  return first === null || last === null ? "" : `, ${first.slice(0, 10)} to ${last.slice(0, 10)} (UTC)`;
}

function levelsLine({ levels, other_levels: other, operations }: MetricsSummary): string {
  if (levels === null) return "levels: lost, or never recorded";
  const shares = levels.map((count, index) => `${index + 1}: ${Math.round((count / operations) * 100)} %`);
  return `levels ${shares.join(", ")}${other === 0 ? "" : `; ${countText(other, "operation")} with another level`}`;
}

function trendLines({ trend: { bucket, periods } }: MetricsSummary, { width }: TextPage): string[] {
  if (periods.length < 2) return [];
  const columns = Math.min(60, width - 24);
  const line = (title: string, figures: number[], last: string): string =>
    `${title.padEnd(12)}${sparkline(figures, columns)}  ${last}`;
  const last = periods.at(-1) as (typeof periods)[number];
  return [
    "",
    line(
      "operations",
      periods.map((each) => each.total_operations),
      `${numberText(last.total_operations)} in the last ${bucket}`,
    ),
    line(
      "success",
      periods.map((each) => each.success_rate),
      percentText(last.success_rate),
    ),
    line(
      "response",
      periods.map((each) => each.avg_response_time_ms),
      durationText(last.avg_response_time_ms),
    ),
  ];
}

function libraryLines({ path, bytes, patterns }: LibrarySummary, page: TextPage): string[] {
  return [
    `${page.paint.bold(shownPath(path))}  ${sizeText(bytes)}, pattern library in JSON`,
    ...indented(patternsLines(patterns, narrower(page))),
  ];
}

/** Patterns as lines. */
function patternsLines(found: PatternsSummary, page: TextPage): string[] {
  const { patterns, invalid, by_type, by_agent, by_confidence, usage_count, success_count, failure_count } = found;
  const uses = success_count + failure_count;
  return [
    `${countText(patterns, "pattern")} of ${countText(by_agent.length, "agent")} in ${countText(by_type.length, "type")}${invalid === 0 ? "" : `; ${countText(invalid, "invalid row")}`}`,
    ...(patterns === 0
      ? []
      : [
          `used ${countText(usage_count, "time")}${uses === 0 ? "" : `, ${percentText(success_count / uses)} successful`}; confidence 0 ${sparkline(by_confidence, by_confidence.length)} 1`,
          "",
          ...tableLines(PATTERN_COLUMNS, found.top_patterns, page.width, page.paint),
          ...more(patterns, found.top_patterns.length, "patterns"),
        ]),
  ];
}

function statesLines(
  { path, states, invalid, unreadable, avg_trust, top_states }: StatesSummary,
  what: string,
  page: TextPage,
): string[] {
  const narrow = narrower(page);
  return [
    `${page.paint.bold(shownPath(path))}  ${what}`,
    ...indented([
      `${countText(states, "state")}${invalid === 0 ? "" : `, ${numberText(invalid)} of them invalid`}${unreadable === 0 ? "" : `, ${numberText(unreadable)} unreadable`}${avg_trust === null ? "" : `; mean trust ${fractionText(avg_trust)}`}`,
      ...(states === 0 ? [] : ["", ...tableLines(STATE_COLUMNS, top_states, narrow.width, narrow.paint)]),
      ...more(states, top_states.length, "states"),
    ]),
  ];
}

function more(all: number, shown: number, what: string): string[] {
  return all > shown ? [`… ${numberText(all - shown)} more ${what} (--limit)`] : [];
}

const INDENT = "  ";

function narrower({ width, paint }: TextPage): TextPage {
  return { width: width - INDENT.length, paint };
}

function indented(lines: readonly string[]): string[] {
  return lines.map((line) => (line === "" ? "" : `${INDENT}${line}`));
}

/** A reason with its full stop. */
function sentence(reason: string): string {
  return /[.!?]$/.test(reason) ? reason : `${reason}.`;
}
