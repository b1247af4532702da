import { has, valueOf, valuesOf } from "@perdura/cli/option_table.js";
import type { Runner } from "@perdura/cli/run_program.js";
import { loadProfile } from "../corpus/load_profile.ts";
import { readExpectedFailures } from "../runner/expected_failures.ts";
import type { AdapterSource } from "../protocol/channel.ts";
import { verdictLine } from "../results/conclusion.ts";
import { viewOf } from "../results/report_view.ts";
import { terminalReport } from "../report/terminal.ts";
import { runSuite } from "../runner/run_suite.ts";
import type { SuiteOptions } from "../runner/suite_options.ts";
import { adaptersOf, lineOf, orUsage, timeoutOf } from "./chosen.ts";
import { checkReportFiles, writeReportFiles } from "./report_files.ts";
import { type Arguments, type Command, type OptionName, REPORT_FILE_OPTIONS } from "./table.ts";

/** Judges one implementation and writes the reports. */
export const run: Runner<Command, OptionName> = async (given, { progress, colour }) => {
  const [adapter] = adaptersOf(given) as [AdapterSource];
  const options = suiteOptions(adapter, given);
  const files = Object.fromEntries(REPORT_FILE_OPTIONS.map((option) => [option, valueOf(given, option)]));
  checkReportFiles(files);
  // A progress line for a person, or JSON for a program; a log needs neither.
  const isShown = has(given, "json") || process.stderr.isTTY === true;
  let done = 0;
  const { records, summary } = await runSuite({
    ...options,
    onRecord: ({ record }) => {
      if (record !== "case" || !isShown) return;
      done += 1;
      progress.print({
        event: "progress",
        path: adapter.name,
        stage: "run",
        detail: "judging",
        done,
        total: null,
        unit: "cases",
      });
    },
  });
  return {
    code: summary.exit_code,
    summary: verdictLine(viewOf(records)),
    document: summary,
    text: terminalReport(records, { colour }),
    isLaidOut: true,
    finish: () => writeReportFiles(records, files),
  };
};

function suiteOptions(adapter: AdapterSource, given: Arguments): SuiteOptions {
  const [line, timeoutMs] = [lineOf(given), timeoutOf(given)];
  const [workers, seed, runs] = [valueOf(given, "workers"), valueOf(given, "seed"), valueOf(given, "runs")];
  const [profile, expected] = [valueOf(given, "profile"), valueOf(given, "expected-failures")];
  return {
    adapter,
    cases: valuesOf(given, "case"),
    areas: valuesOf(given, "area"),
    requirements: valuesOf(given, "requirement"),
    ...(line === undefined ? {} : { line }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(workers === undefined ? {} : { workers: Number(workers) }),
    ...(seed === undefined ? {} : { seed: Number(seed) }),
    ...(runs === undefined ? {} : { runs: Number(runs) }),
    ...(profile === undefined ? {} : { profile: orUsage("profile", () => loadProfile(profile)) }),
    ...(expected === undefined
      ? {}
      : { expectedFailures: orUsage("expected-failures", () => readExpectedFailures(expected)) }),
  };
}
