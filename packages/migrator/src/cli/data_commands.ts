import { ask } from "@perdura/cli/ask.js";
import type { ExitCode } from "@perdura/cli/exit_codes.js";
import { has } from "@perdura/cli/option_table.js";
import type { Result, Runner, Tools } from "@perdura/cli/run_program.js";
import { paintFor, widthOf } from "@perdura/cli/terminal.js";
import { DecisionNeeded, Interrupted } from "@perdura/cli/usage_error.js";
import { wrap } from "@perdura/cli/wrap.js";
import { revertMigration } from "../commands/down.ts";
import { planMigration } from "../commands/plan.ts";
import { pruneMigration } from "../commands/prune.ts";
import { migrationStatus } from "../commands/status.ts";
import { migrateWhenAgreed } from "../commands/up.ts";
import { verifyMigration } from "../commands/verify.ts";
import type { AnyOptions } from "../core/options.ts";
import type { MigrationReport } from "../core/report.ts";
import { migrationOptions } from "./migration_options.ts";
import { nextSteps } from "./render/next_steps.ts";
import { showReport, showSummary } from "./render/report.ts";
import type { Arguments, Command, OptionName } from "./table.ts";

type DataRunner = Runner<Command, OptionName>;
type Work = (targets: readonly string[], options: AnyOptions) => Promise<MigrationReport>;

export const plan: DataRunner = reporting(planMigration);
export const status: DataRunner = reporting(migrationStatus);
export const verifyData: DataRunner = reporting(verifyMigration);

/** Asks between its plan and the first change, so that nothing is inspected twice. */
export const up: DataRunner = async (given, tools) => {
  const options = migrationOptions(given, tools);
  const confirm = needsAnswer(given)
    ? async (report: MigrationReport): Promise<boolean> => {
        tools.progress.clear();
        await showAndAsk(given, "Do this now?", report, tools.signal);
        return true;
      }
    : null;
  return resultOf(given, tools, await migrateWhenAgreed(given.words, options, confirm));
};

export const down: DataRunner = asking(revertMigration, "Go back now?");

/** What it removes cannot be restored, so a script has to agree beforehand. */
export const prune: DataRunner = async (given, tools) => {
  if (!isAgreed(given) && !isSomebodyThere(given))
    throw new DecisionNeeded(
      "prune removes files, and there is no terminal to ask on: give --yes, or look first with --dry-run. Nothing was removed.",
    );
  return asking(pruneMigration, "Remove this now?")(given, tools);
};

function reporting(work: Work): DataRunner {
  return async (given, tools) => resultOf(given, tools, await work(given.words, migrationOptions(given, tools)));
}

/** Shows a forecast and asks before the work; only where something would be done. */
function asking(work: Work, question: string): DataRunner {
  return async (given, tools) => {
    const options = migrationOptions(given, tools);
    if (needsAnswer(given)) {
      const forecast = await work(given.words, { ...options, dryRun: true }).finally(tools.progress.clear);
      // The command itself then says why not, once.
      if ([...forecast.databases, ...forecast.state_directories].some(({ status: is }) => is === "planned"))
        await showAndAsk(given, question, forecast, tools.signal);
    }
    return resultOf(given, tools, await work(given.words, options));
  };
}

function isAgreed(given: Arguments): boolean {
  return has(given, "yes") || has(given, "dry-run") || has(given, "rehearse");
}

function needsAnswer(given: Arguments): boolean {
  return !isAgreed(given) && isSomebodyThere(given);
}

function isSomebodyThere(given: Arguments): boolean {
  return !has(given, "json") && !has(given, "quiet") && process.stdin.isTTY === true && process.stderr.isTTY === true;
}

/** @throws DecisionNeeded where the answer is no; Interrupted after Ctrl-C. */
async function showAndAsk(
  given: Arguments,
  question: string,
  report: MigrationReport,
  signal: AbortSignal,
): Promise<void> {
  const shown = showReport(report, paintFor(process.stderr, !has(given, "no-color")), []);
  process.stderr.write(`${wrap(shown, widthOf(process.stderr))}\n\n`);
  const answer = await ask(`${question} [y/N] `, { input: process.stdin, output: process.stderr, signal });
  if (answer === "no") throw new DecisionNeeded("Nothing was changed.");
  if (answer === "interrupted") throw new Interrupted();
}

function resultOf(given: Arguments, { paint }: Tools, report: MigrationReport): Result {
  const { exit_code: code, summary, report_path: path } = report;
  return {
    code: code as ExitCode,
    summary: showSummary(report, paint),
    done: path === null ? summary : `${summary} The report is in ${path}.`,
    document: report,
    text: showReport(report, paint, nextSteps(report, given)),
  };
}
