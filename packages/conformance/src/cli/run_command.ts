import { existsSync, readdirSync, statSync } from "node:fs";
import { has, valueOf, valuesOf } from "@perdura/cli/option_table.js";
import type { Runner } from "@perdura/cli/run_program.js";
import { shippedCorpus } from "../corpus/load_cases.ts";
import { loadProfile } from "../corpus/load_profile.ts";
import { readExpectedFailures } from "../runner/expected_failures.ts";
import type { AdapterSource } from "../protocol/channel.ts";
import { readReport } from "../report/read_report.ts";
import { needsAttention } from "../results/case_status.ts";
import { verdictLine } from "../results/conclusion.ts";
import { viewOf } from "../results/report_view.ts";
import { terminalReport } from "../report/terminal.ts";
import { runSuite } from "../runner/run_suite.ts";
import type { SuiteOptions } from "../runner/suite_options.ts";
import { adaptersOf, lineOf, orUsage, timeoutOf } from "./chosen.ts";
import { checkReportFiles, writeReportFiles } from "./report_files.ts";
import { type Arguments, type Command, type OptionName, REPORT_FILE_OPTIONS } from "./table.ts";

/** Judges one implementation and writes the reports. */
export const run: Runner<Command, OptionName> = async (given, { progress, colour, signal }) => {
  const [adapter] = adaptersOf(given) as [AdapterSource];
  const options = suiteOptions(adapter, given);
  const files = Object.fromEntries(REPORT_FILE_OPTIONS.map((option) => [option, valueOf(given, option)]));
  const list = valueOf(given, "write-expected-failures");
  checkReportFiles({ ...files, "write-expected-failures": list });
  // A progress line for a person, or JSON for a program; a log needs neither.
  const isShown = has(given, "json") || process.stderr.isTTY === true;
  let done = 0;
  const { records, summary, expectedFailures } = await runSuite({
    ...options,
    signal,
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
    finish: () => writeReportFiles({ records, expectedFailures }, { ...files, "write-expected-failures": list }),
  };
};

function suiteOptions(adapter: AdapterSource, given: Arguments): SuiteOptions {
  const [line, timeoutMs] = [lineOf(given), timeoutOf(given)];
  const [workers, seed, runs] = [valueOf(given, "workers"), valueOf(given, "seed"), valueOf(given, "runs")];
  const [own, failed, keep] = [valueOf(given, "cases"), valueOf(given, "failed-in"), valueOf(given, "keep")];
  const [profile, expected] = [valueOf(given, "profile"), valueOf(given, "expected-failures")];
  const list = valueOf(given, "write-expected-failures");
  return {
    adapter,
    cases: [
      ...valuesOf(given, "case"),
      ...(failed === undefined ? [] : orUsage("failed-in", () => failedCases(failed))),
    ],
    skip: valuesOf(given, "skip"),
    areas: valuesOf(given, "area"),
    requirements: valuesOf(given, "requirement"),
    ...(own === undefined
      ? {}
      : { corpus: { cases: orUsage("cases", () => directory(own)), data: shippedCorpus().data } }),
    ...(keep === undefined ? {} : { keep: orUsage("keep", () => newDirectory(keep)) }),
    ...(line === undefined ? {} : { line }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(workers === undefined ? {} : { workers: Number(workers) }),
    ...(seed === undefined ? {} : { seed: Number(seed) }),
    ...(runs === undefined ? {} : { runs: Number(runs) }),
    ...(profile === undefined ? {} : { profile: orUsage("profile", () => loadProfile(profile)) }),
    ...(expected === undefined
      ? {}
      : { expectedFailures: orUsage("expected-failures", () => readExpectedFailures(expected)) }),
    ...(expected !== undefined || list === undefined || !existsSync(list)
      ? {}
      : { formerList: orUsage("write-expected-failures", () => readExpectedFailures(list)) }),
  };
}

/** Ids of the cases that were not as expected in a report. */
function failedCases(file: string): string[] {
  const view = viewOf(readReport(file));
  const failed = view.cases.filter((record) => needsAttention(record, view)).map(({ id }) => id);
  if (failed.length === 0) throw new Error(`no case failed in ${file}`);
  return failed;
}

function directory(path: string): string {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) throw new Error(`${path} is not a directory`);
  return path;
}

/** A directory that is empty or does not exist: nothing of a person is replaced. */
function newDirectory(path: string): string {
  const entry = statSync(path, { throwIfNoEntry: false });
  if (entry !== undefined && (!entry.isDirectory() || readdirSync(path).length > 0))
    throw new Error(`${path} exists and is not an empty directory; choose a new one`);
  return path;
}
