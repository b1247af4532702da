import { EXIT } from "@perdura/cli/exit_codes.js";
import { has, valueOf, valuesOf } from "@perdura/cli/option_table.js";
import { countText, numberText } from "@perdura/cli/quantities.js";
import type { Runner } from "@perdura/cli/run_program.js";
import { shownPath } from "@perdura/cli/shown_paths.js";
import { printable } from "@perdura/cli/terminal.js";
import { UsageError } from "@perdura/cli/usage_error.js";
import { askedBreakdown, HIGHEST_LIMIT } from "@perdura/internals/metrics/breakdown/breakdown_arguments.js";
import type { Bucket, TrendPeriod } from "@perdura/internals/metrics/trends/trend.js";
import { askedTrend, askedUserTrend } from "@perdura/internals/metrics/trends/trend_arguments.js";
import { metricsBetween } from "@perdura/summary/one_period.js";
import { shownRange } from "@perdura/summary/shown_range.js";
import { listUsers, summarizeMetrics } from "@perdura/summary/summarize_metrics.js";
import type { Command, OptionName } from "./table.ts";
import { withMetrics } from "./open_source.ts";
import { inRange, rangeOf } from "./range.ts";
import { metricsLines } from "../render/summary_text.ts";
import { breakdownColumns, tableLines, trendColumns, USER_COLUMNS } from "../render/tables.ts";

type Run = Runner<Command, OptionName>;

/** Shows the statistics of all users together. */
export const showMetrics: Run = async (given, { width, paint, progress }) => {
  const range = rangeOf(given);
  const { metrics, place } = await withMetrics(
    given,
    async (open) => ({
      place: open.database.path,
      metrics: await summarizeMetrics(open.metrics, { rows: 0, trajectories: 0, range }),
    }),
    progress.print,
  );
  const summary = `${countText(metrics.operations, "operation")} of ${countText(metrics.users, "user")} in ${shownPath(place)}${inRange(range)}.`;
  const lines = metricsLines(metrics, { width, paint });
  return {
    code: EXIT.done,
    summary,
    document: { path: place, range: shownRange(range), metrics },
    text: [...lines, "", summary].join("\n"),
  };
};

/** Lists users with their statistics. */
export const listUsersOf: Run = async (given, { width, paint, progress }) => {
  const rows = Number(valueOf(given, "limit") ?? 1000);
  const range = rangeOf(given);
  const { place, total, users } = await withMetrics(
    given,
    async ({ database, metrics }) => {
      const between = metricsBetween(metrics, range);
      return {
        place: database.path,
        total: (await between.statistics.global()).total_users,
        users: await listUsers(between, rows),
      };
    },
    progress.print,
  );
  const shown = users.length < total ? ` The first ${numberText(users.length)} are listed.` : "";
  const summary = `${countText(total, "user")} in ${shownPath(place)}${inRange(range)}.${shown}`;
  const lines = tableLines(USER_COLUMNS, users, width, paint);
  return {
    code: EXIT.done,
    summary,
    document: { path: place, range: shownRange(range), users: total, top_users: users },
    text: [...lines, "", summary].join("\n"),
  };
};

/** Shows the trend of all users together, or of one. */
export const showTrend: Run = async (given, { width, paint }) => {
  const user = valueOf(given, "user");
  const options = {
    bucket: valueOf(given, "bucket") as Bucket | undefined,
    since: valueOf(given, "since"),
    until: valueOf(given, "until"),
  };
  const { periods, place } = await withMetrics(given, async ({ database, metrics: { statistics } }) => {
    if (user !== undefined && (await statistics.user(user)).total_operations === 0)
      throw new UsageError(`${shownPath(database.path)}: no operations of the user ${JSON.stringify(user)}.`);
    const found: (TrendPeriod & { trust?: number })[] =
      user === undefined
        ? await statistics.globalTrend(askedTrend(options))
        : await statistics.userTrend(user, askedUserTrend(options));
    return { place: database.path, periods: found };
  });
  const whose = user === undefined ? "" : ` of ${printable(user)}`;
  const summary = `${countText(periods.length, options.bucket ?? "day")} with operations${whose} in ${shownPath(place)}.`;
  const lines = tableLines(trendColumns(user !== undefined), periods, width, paint);
  return {
    code: EXIT.done,
    summary,
    document: { path: place, user_id: user ?? null, bucket: options.bucket ?? "day", periods },
    text: [...lines, "", summary].join("\n"),
  };
};

/** Shows figures by the values of a key of the metadata. */
export const showBreakdown: Run = async (given, { width, paint }) => {
  const [, key = ""] = given.words;
  const user = valueOf(given, "user");
  const numbers = valuesOf(given, "sum");
  const asked = askedBreakdown(key, {
    ...(user === undefined ? {} : { user_id: user }),
    since: valueOf(given, "since"),
    until: valueOf(given, "until"),
    limit: Math.min(Number(valueOf(given, "limit") ?? (has(given, "json") ? 1000 : 10)), HIGHEST_LIMIT),
    numbers,
  });
  const { place, values } = await withMetrics(given, async ({ database, metrics }) => ({
    place: database.path,
    values: await metrics.statistics.breakdown(asked),
  }));
  const count = values.reduce((sum, { others = 1 }) => sum + others, 0);
  const operations = values.reduce((sum, { total_operations }) => sum + total_operations, 0);
  const whose = user === undefined ? "" : ` of ${printable(user)}`;
  const summary = `${countText(count, "value")} of ${printable(key)} in ${countText(operations, "operation")}${whose} in ${shownPath(place)}.`;
  const lines = tableLines(breakdownColumns(key, numbers), values, width, paint);
  return {
    code: EXIT.done,
    summary,
    document: { path: place, key, user_id: user ?? null, values },
    text: [...lines, "", summary].join("\n"),
  };
};

/** Writes all operations to a file. */
export const exportMetrics: Run = async (given) => {
  const [, file = ""] = given.words;
  const { written, place } = await withMetrics(given, async ({ database, metrics }) => ({
    place: database.path,
    written: await metrics.exportTo(file),
  }));
  const summary = `Wrote ${countText(written, "operation")} of ${shownPath(place)} to ${shownPath(file)}.`;
  return { code: EXIT.done, summary, document: { path: place, file, operations: written }, text: summary };
};
