import { isPerduraError } from "@perdura/internals/errors/errors.js";
import type { MigrationOptions } from "../options.ts";
import type { MigrationReport } from "../report/report.ts";
import { migrate } from "../run/migrate.ts";
import { planMigration } from "../run/plan.ts";
import { verifyMigration } from "../run/verify.ts";
import { VERSION } from "../version.ts";
import { type Arguments, readArguments, UsageError } from "./arguments.ts";
import { ask } from "./ask.ts";
import { surviveClosedPipes } from "./closed_pipe.ts";
import { helpText } from "./help.ts";
import { endProgress, progressPrinter } from "./show_progress.ts";
import { showReport } from "./show_report.ts";
import { paintFor, printable } from "./terminal.ts";

const COMMANDS = { plan: planMigration, up: migrate, verify: verifyMigration };

/** Runs the program with the words after its name; returns the exit code. */
export async function main(words: readonly string[]): Promise<number> {
  surviveClosedPipes();
  try {
    const given = readArguments(words);
    if (given.version) return print(VERSION);
    if (given.help || given.command === undefined) return print(helpText(given.command));
    return await run(given, given.command);
  } catch (error) {
    if (error instanceof UsageError) return complain(`${error.message} See perdura-migrate --help.`, 2);
    if (isPerduraError(error)) return complain(error.message, 2);
    return complain(`Failed: ${(error as Error).stack ?? String(error)}`, 1);
  }
}

async function run(given: Arguments, command: keyof typeof COMMANDS): Promise<number> {
  const interrupt = new AbortController();
  const abort = (): void => interrupt.abort();
  process.once("SIGINT", abort);
  process.once("SIGTERM", abort);
  try {
    const options = optionsFrom(given, interrupt.signal);
    const answer = command === "up" ? await agreed(given, options) : "yes";
    if (answer === "interrupted") return complain("Interrupted. Nothing was changed.", 130);
    if (answer === "no") return complain("Nothing was changed.", 3);
    const report = await COMMANDS[command](given.targets, options).finally(() => endProgress(given));
    print(
      given.json
        ? JSON.stringify(report, null, 2)
        : showReport(report, paintFor(process.stdout, given.color), given.quiet),
    );
    return report.exit_code;
  } finally {
    process.off("SIGINT", abort);
    process.off("SIGTERM", abort);
  }
}

function optionsFrom(given: Arguments, signal: AbortSignal): MigrationOptions {
  return {
    // Checked by the library, which names the option and its choices.
    invalidRows: given.invalidRows as MigrationOptions["invalidRows"],
    fence: given.fence as MigrationOptions["fence"],
    backup: given.backup,
    backupDir: given.backupDir,
    stateDirectories: given.states,
    onProgress: progressPrinter(given),
    signal,
  };
}

/** Asks on a terminal, after showing the plan. A script is not asked: there is a backup, and it can be run again. */
async function agreed(given: Arguments, options: MigrationOptions): Promise<Awaited<ReturnType<typeof ask>>> {
  if (given.yes || given.json || given.quiet || process.stdin.isTTY !== true || process.stderr.isTTY !== true)
    return "yes";
  const plan: MigrationReport = await planMigration(given.targets, options).finally(() => endProgress(given));
  process.stderr.write(`${showReport(plan, paintFor(process.stderr, given.color), false)}\n\n`);
  if (
    plan.exit_code !== 0 ||
    ![...plan.databases, ...plan.state_directories].some(({ status }) => status === "planned")
  )
    return "yes";
  const place = { input: process.stdin, output: process.stderr, signal: options.signal };
  const answer = await ask("Do this now? [y/N] ", place);
  // Whoever pressed Ctrl-C or Ctrl-D is still on the line of the question.
  if (answer !== "yes") process.stderr.write("\n");
  return answer;
}

function print(text: string): number {
  process.stdout.write(`${text}\n`);
  return 0;
}

function complain(text: string, code: number): number {
  process.stderr.write(`perdura-migrate: ${text.split("\n").map(printable).join("\n")}\n`);
  return code;
}
