import { closeSync, openSync, writeSync } from "node:fs";
import { IMPLEMENTATIONS, implementationAdapter } from "../implementations.ts";
import type { ImplementationName } from "../implementations.ts";
import type { AdapterSource } from "../protocol/channel.ts";
import { commandAdapter } from "../protocol/stdio.ts";
import type { ReportRecord } from "../report/record.ts";
import { terminalReport } from "../report/terminal.ts";
import { runSuite } from "../runner/run_suite.ts";
import type { SuiteOptions } from "../runner/run_suite.ts";
import { parseVersion } from "../runner/version_range.ts";
import { UsageError } from "./usage_error.ts";

/** The options of `run`, as `parseArgs` takes them. */
export const RUN_OPTIONS = {
  implementation: { type: "string" },
  adapter: { type: "string" },
  line: { type: "string" },
  case: { type: "string", multiple: true },
  area: { type: "string", multiple: true },
  requirement: { type: "string", multiple: true },
  timeout: { type: "string" },
  report: { type: "string" },
  json: { type: "boolean" },
} as const;

/** The values of {@link RUN_OPTIONS}. */
export interface RunValues {
  implementation?: string | undefined;
  adapter?: string | undefined;
  line?: string | undefined;
  case?: string[] | undefined;
  area?: string[] | undefined;
  requirement?: string[] | undefined;
  timeout?: string | undefined;
  report?: string | undefined;
  json?: boolean | undefined;
}

/** `perdura-conformance run`: judges one implementation and prints the report. */
export async function runCommand(values: RunValues): Promise<number> {
  const options: SuiteOptions = {
    adapter: chosenAdapter(values),
    ...(values.line === undefined ? {} : { line: checkedLine(values.line) }),
    ...(values.timeout === undefined ? {} : { timeoutMs: milliseconds(values.timeout) }),
    cases: values.case ?? [],
    areas: values.area ?? [],
    requirements: values.requirement ?? [],
  };
  const file = values.report === undefined ? undefined : openSync(values.report, "w");
  try {
    const onRecord = (record: ReportRecord): void => {
      if (file !== undefined) writeSync(file, `${JSON.stringify(record)}\n`);
    };
    const { records, summary } = await runSuite({ ...options, onRecord });
    const colour = process.stdout.isTTY === true && !process.env.NO_COLOR;
    process.stdout.write(values.json ? `${JSON.stringify(summary, null, 2)}\n` : terminalReport(records, { colour }));
    return summary.exit_code;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

function chosenAdapter({ implementation, adapter }: RunValues): AdapterSource {
  if ((implementation === undefined) === (adapter === undefined))
    throw new UsageError("run needs either --implementation or --adapter");
  if (adapter !== undefined) {
    try {
      return commandAdapter(adapter);
    } catch (error) {
      throw new UsageError(`--adapter: ${(error as Error).message}`);
    }
  }
  if (!(IMPLEMENTATIONS as readonly string[]).includes(implementation as string)) {
    throw new UsageError(
      `--implementation ${implementation}: there are ${IMPLEMENTATIONS.join(" and ")}; for anything else give --adapter "<command>"`,
    );
  }
  return implementationAdapter(implementation as ImplementationName);
}

function checkedLine(line: string): string {
  if (/^\d+$/.test(line)) return line;
  try {
    parseVersion(line);
    return line;
  } catch (error) {
    throw new UsageError(`--line: ${(error as Error).message}, or 15, or 16`);
  }
}

function milliseconds(seconds: string): number {
  const value = Number(seconds);
  if (!(value > 0 && value <= 3600))
    throw new UsageError(`--timeout ${seconds}: wanted is a number of seconds, more than 0 and at most 3600`);
  return value * 1000;
}
