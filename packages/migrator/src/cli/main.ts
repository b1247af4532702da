import { isPostgresAddress } from "@perdura/internals/text/addresses.js";
import type { ErrorCode } from "@perdura/internals/errors/codes.js";
import { isPerduraError } from "@perdura/internals/errors/errors.js";
import { has } from "@perdura/cli/option_table.js";
import { onInterrupt } from "@perdura/cli/interrupt.js";
import { complain, type End, endInterrupted, exitCodeOf, print } from "@perdura/cli/program_end.js";
import { type ProgressPrinter, progressPrinter } from "@perdura/cli/progress_printer.js";
import { jsonText, paintFor, widthOf } from "@perdura/cli/terminal.js";
import { UsageError } from "@perdura/cli/usage_error.js";
import { withoutSecrets } from "@perdura/internals/terminal/without_secrets.js";
import { wrap } from "@perdura/cli/wrap.js";
import { Stop } from "../core/stop.ts";
import { VERSION } from "../core/version.ts";
import type { MigrationReport } from "../core/report.ts";
import { agreed, type Agreement, showAndAsk } from "./agreement.ts";
import { type Arguments, readArguments } from "./arguments.ts";
import { DATA_COMMANDS } from "./commands.ts";
import { copyCommand } from "./copy_command.ts";
import { helpText } from "./help.ts";
import { migrationOptions, withFlagNames } from "./migration_options.ts";
import { nextSteps } from "./next_steps.ts";
import type { Command } from "./options.ts";
import { showReport, showSummary } from "./show_report.ts";
import { statesCommand } from "./states_command.ts";
import { verifyServersCommand } from "./verify_servers_command.ts";

const NAME = "perdura-migrate";

/** Runs the program with the words after its name; returns the exit code. */
export function main(words: readonly string[]): Promise<number> {
  return exitCodeOf(NAME, () => perform(words));
}

async function perform(words: readonly string[]): Promise<End> {
  try {
    if (words.length === 0) return print(helpText(undefined, widthOf(process.stdout)));
    const given = readArguments(words);
    if (has(given, "version")) return print(VERSION);
    if (has(given, "help") || given.command === undefined)
      return print(helpText(given.command, widthOf(process.stdout)));
    return await run(given, given.command);
  } catch (error) {
    const [text, code] = complaintOf(error);
    return complain(NAME, withoutSecrets(text), code);
  }
}

function complaintOf(error: unknown): [text: string, code: number] {
  if (error instanceof UsageError) return [`${error.message} See perdura-migrate --help.`, 2];
  if (error instanceof Stop && error.status === "interrupted") return [error.message, 130];
  if (isPerduraError(error)) return [withFlagNames(error.message), CODES[error.code] ?? 1];
  return [`Failed: ${(error as Error).stack ?? String(error)}`, 1];
}

/** What is wrong with the command line itself, and what another process is in the way of; the rest failed. */
const CODES: Partial<Record<ErrorCode, number>> = {
  PERDURA_VALIDATION: 2,
  PERDURA_FILE_NOT_FOUND: 2,
  PERDURA_UNSUPPORTED_RUNTIME: 2,
  PERDURA_BUSY: 5,
};

const STOPPING = "Stopping. What is at work is rolled back. (Again to end at once; the data stays whole.)";

async function run(given: Arguments, command: Command): Promise<End> {
  const progress = progressPrinter({ json: has(given, "json"), quiet: has(given, "quiet") });
  const interruption = onInterrupt(progress.clear, STOPPING);
  try {
    const end = await runCommand(given, command, progress, interruption.signal);
    return interruption.signal.aborted ? endInterrupted(NAME, end) : end;
  } finally {
    interruption.end();
  }
}

async function runCommand(
  given: Arguments,
  command: Command,
  progress: ProgressPrinter,
  signal: AbortSignal,
): Promise<End> {
  if (command === "copy") return await copyCommand(given, progress, signal);
  if (command === "verify" && given.targets.every(isPostgresAddress))
    return await verifyServersCommand(given, progress, signal);
  if (command !== "states") return await runOnData(given, command, progress, signal);
  return { code: 0, done: await statesCommand(given, progress, signal) };
}

async function runOnData(
  given: Arguments,
  name: Exclude<Command, "states" | "copy">,
  progress: ProgressPrinter,
  signal: AbortSignal,
): Promise<End> {
  const command = DATA_COMMANDS[name];
  const options = migrationOptions(given, progress.print, signal);
  const { asks } = command;
  let answer = asks === undefined ? "yes" : await agreed(given, name, asks, options, progress.clear);
  const askNow = async (plan: MigrationReport): Promise<boolean> => {
    progress.clear();
    answer = await showAndAsk(given, asks?.question ?? "", plan, signal);
    return answer === "yes";
  };
  const ask = answer === undefined ? askNow : null;
  if (answer === undefined || answer === "yes") {
    const report = await command.run(given.targets, options, ask).finally(progress.clear);
    // Nobody is asked where there is nothing to do.
    if (answer === undefined || answer === "yes") return showResult(given, report);
  }
  return complain(NAME, ...REFUSALS[answer]);
}

function showResult(given: Arguments, report: MigrationReport): End {
  const paint = paintFor(process.stdout, !has(given, "no-color"));
  if (has(given, "json")) print(jsonText(report, 2));
  else if (has(given, "quiet")) print(showSummary(report, paint));
  else print(wrap(showReport(report, paint, nextSteps(report, given)), widthOf(process.stdout)));
  const { exit_code: code, summary, report_path: path } = report;
  return { code, done: path === null ? summary : `${summary} The report is in ${path}.` };
}

const REFUSALS: Record<Exclude<Agreement, "yes">, [sentence: string, code: number]> = {
  interrupted: ["Interrupted. Nothing was changed.", 130],
  no: ["Nothing was changed.", 3],
  unasked: [
    "prune removes files, and nobody can be asked here: say --yes, or look first with --dry-run. Nothing was removed.",
    3,
  ],
};
