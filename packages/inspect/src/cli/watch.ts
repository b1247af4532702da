import { setTimeout as sleep } from "node:timers/promises";
import { has, valueOf } from "@perdura/cli/option_table.js";
import { printLine } from "@perdura/cli/lost_output.js";
import { countText } from "@perdura/cli/quantities.js";
import type { Result, Runner } from "@perdura/cli/run_program.js";
import { isAddress } from "@perdura/internals/text/addresses.js";
import { jsonText, supportsStyles } from "@perdura/cli/terminal.js";
import type { MetricsSummary } from "@perdura/summary/document.js";
import { summarizeMetrics } from "@perdura/summary/summarize_metrics.js";
import type { Command, OptionName } from "./table.ts";
import { databaseTrace } from "../read/data_trace.ts";
import { withMetrics } from "./open_source.ts";
import { durationText, percentText } from "@perdura/summary/figure_texts.js";
import { metricsLines } from "../render/summary_text.ts";

/** Clears a terminal. */
const CLEAR = "\u001b[H\u001b[2J\u001b[3J";
/** Users below the figures. */
const USERS = 10;

/** Shows a database again whenever it changes; ends with the process. */
export const watch: Runner<Command, OptionName> = async (given, { width, paint }): Promise<Result> => {
  const interval = Number(valueOf(given, "interval") ?? 2) * 1000;
  const isScreen = supportsStyles(process.stdout) && !has(given, "json") && !has(given, "quiet");
  let [place, shown] = ["", ""];
  for (;;) {
    // Before reading: a change after it is found by the next comparison.
    const trace = databaseTrace(place);
    const found = await withMetrics(given, async (open) => ({
      place: open.database.path,
      metrics: await summarizeMetrics(open.metrics, { rows: isScreen ? USERS : 0, trajectories: isScreen ? USERS : 0 }),
    }));
    const figures = JSON.stringify(found.metrics);
    if (figures !== shown) show(found.place, found.metrics);
    [place, shown] = [found.place, figures];
    do await sleep(interval);
    while (!isAddress(place) && databaseTrace(place) === trace);
  }

  function show(at: string, metrics: MetricsSummary): void {
    if (has(given, "json")) printLine(jsonText({ at: now(), path: at, ...withoutLists(metrics) }));
    else if (isScreen)
      process.stdout.write(
        `${CLEAR}${[`${at}  ${now()}`, "", ...metricsLines(metrics, { width, paint })].join("\n")}\n`,
      );
    else printLine(`${now()}  ${lineOf(metrics)}`);
  }
};

const now = (): string => `${new Date().toISOString().slice(0, 19)}Z`;

function lineOf({ operations, users, success_rate, avg_response_time_ms }: MetricsSummary): string {
  return `${countText(operations, "operation")} of ${countText(users, "user")}, success ${percentText(success_rate)}, response ${durationText(avg_response_time_ms)}`;
}

function withoutLists(metrics: MetricsSummary) {
  const { trend: _trend, recent: _recent, percentiles: _percentiles, breakdowns: _breakdowns, ...figures } = metrics;
  const { top_users: _users, ...shown } = figures;
  return shown;
}
