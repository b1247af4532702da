import { jsonText } from "../values/escape.ts";
import type { ParseArgsOptionsConfig } from "node:util";
import { loadProfile } from "../corpus/load_profile.ts";
import { readExpectedFailures } from "../expectations/expected_failures.ts";
import type { AdapterSource } from "../protocol/channel.ts";
import { terminalReport } from "../report/terminal.ts";
import { runSuite } from "../runner/run_suite.ts";
import type { SuiteOptions } from "../runner/suite_options.ts";
import { ADAPTER_OPTIONS, adaptersFrom } from "./adapter_options.ts";
import type { AdapterValues } from "./adapter_options.ts";
import { checkedLine, milliseconds, wholeNumber } from "./option_values.ts";
import { checkReportFiles, REPORT_FILE_OPTIONS, writeReportFiles } from "./report_files.ts";
import type { ReportFileValues } from "./report_files.ts";
import { UsageError } from "./usage_error.ts";

/** The options of `run`, as `parseArgs` takes them. */
export const RUN_OPTIONS: ParseArgsOptionsConfig = {
  ...ADAPTER_OPTIONS,
  ...REPORT_FILE_OPTIONS,
  line: { type: "string" },
  case: { type: "string", multiple: true },
  area: { type: "string", multiple: true },
  requirement: { type: "string", multiple: true },
  profile: { type: "string" },
  "expected-failures": { type: "string" },
  timeout: { type: "string" },
  workers: { type: "string" },
  seed: { type: "string" },
  json: { type: "boolean" },
};

/** The values of {@link RUN_OPTIONS}. */
export interface RunValues extends AdapterValues, ReportFileValues {
  line?: string | undefined;
  case?: string[] | undefined;
  area?: string[] | undefined;
  requirement?: string[] | undefined;
  profile?: string | undefined;
  "expected-failures"?: string | undefined;
  timeout?: string | undefined;
  workers?: string | undefined;
  seed?: string | undefined;
  json?: boolean | undefined;
}

/** `perdura-conformance run`: judges one implementation and prints the report. */
export async function runCommand(values: RunValues): Promise<number> {
  const adapter = onlyAdapter(values);
  const options = suiteOptions(adapter, values);
  checkReportFiles(values);
  const { records, summary } = await runSuite({ ...options, ...progress() });
  const colour = process.stdout.isTTY === true && !process.env.NO_COLOR;
  process.stdout.write(values.json ? jsonText(summary) : terminalReport(records, { colour }));
  writeReportFiles(records, values);
  return summary.exit_code;
}

/** A count on the terminal while a long run goes on; nothing where stderr is a file or a pipe. */
function progress(): Pick<SuiteOptions, "onRecord"> {
  if (process.stderr.isTTY !== true) return {};
  let judged = 0;
  return {
    onRecord: ({ record }) => {
      judged += record === "case" ? 1 : 0;
      if (record === "case" && judged % 10 === 0) process.stderr.write(`\r${judged} cases judged`);
      if (record === "end") process.stderr.write("\r\u001b[K");
    },
  };
}

function onlyAdapter(values: AdapterValues): AdapterSource {
  const [adapter, ...more] = adaptersFrom(values);
  if (adapter === undefined || more.length > 0)
    throw new UsageError("run needs either --implementation or --adapter, once; matrix takes several");
  return adapter;
}

function suiteOptions(adapter: AdapterSource, values: RunValues): SuiteOptions {
  const { line, timeout, workers, seed, profile, "expected-failures": expected } = values;
  if (workers !== undefined && workers !== "1" && adapter.transport === "in-process")
    throw new UsageError("--workers: a built-in adapter runs one case at a time; give --adapter for more");
  return {
    adapter,
    cases: values.case ?? [],
    areas: values.area ?? [],
    requirements: values.requirement ?? [],
    ...(line === undefined ? {} : { line: checkedLine(line) }),
    ...(timeout === undefined ? {} : { timeoutMs: milliseconds(timeout) }),
    ...(workers === undefined ? {} : { workers: wholeNumber("workers", workers, 1, 64) }),
    ...(seed === undefined ? {} : { seed: wholeNumber("seed", seed, 0, 2 ** 32 - 1) }),
    ...(profile === undefined ? {} : { profile: orUsage("profile", () => loadProfile(profile)) }),
    ...(expected === undefined
      ? {}
      : { expectedFailures: orUsage("expected-failures", () => readExpectedFailures(expected)) }),
  };
}

/** What a named file or profile is wrong about is wrong usage. */
function orUsage<Result>(option: string, read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    throw new UsageError(`--${option}: ${(error as Error).message}`);
  }
}
