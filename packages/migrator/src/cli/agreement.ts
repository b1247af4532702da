import { has } from "@perdura/cli/option_table.js";
import { ask } from "@perdura/cli/ask.js";
import { paintFor, widthOf } from "@perdura/cli/terminal.js";
import { wrap } from "@perdura/cli/wrap.js";
import type { AnyOptions } from "../core/options.ts";
import type { MigrationReport } from "../core/report.ts";
import type { Arguments } from "./arguments.ts";
import type { DataCommand } from "./commands.ts";
import type { Command } from "./options.ts";
import { showReport } from "./show_report.ts";

/** Whether a command may go on: `unasked` where somebody would have to be asked, and nobody is there. */
export type Agreement = "yes" | "no" | "interrupted" | "unasked";

/**
 * Asks on a terminal, after showing what would be done; only where something would be. A script is not asked: there is a
 * backup and a way back. What `prune` removes does not come back by itself, so there it has to say yes beforehand.
 *
 * @returns Undefined where somebody has to be asked by {@link showAndAsk}, which the command itself lets happen.
 */
export async function agreed(
  given: Arguments,
  command: Command,
  { question, forecast }: NonNullable<DataCommand["asks"]>,
  options: AnyOptions,
  clearProgress: () => void,
): Promise<Agreement | undefined> {
  if (has(given, "yes") || has(given, "dry-run") || has(given, "rehearse")) return "yes";
  if (!isSomebodyThere(given)) return command === "prune" ? "unasked" : "yes";
  if (forecast === null) return undefined;
  const report = await forecast(given.targets, options).finally(clearProgress);
  // The command itself then says why not, once.
  if (![...report.databases, ...report.state_directories].some(({ status }) => status === "planned")) return "yes";
  return await showAndAsk(given, question, report, options.signal);
}

/** Shows what would be done, and asks. */
export async function showAndAsk(
  given: Arguments,
  question: string,
  report: MigrationReport,
  signal: AbortSignal | undefined,
): Promise<Agreement> {
  const shown = showReport(report, paintFor(process.stderr, !has(given, "no-color")), []);
  process.stderr.write(`${wrap(shown, widthOf(process.stderr))}\n\n`);
  return await ask(`${question} [y/N] `, { input: process.stdin, output: process.stderr, signal });
}

function isSomebodyThere(given: Arguments): boolean {
  return !has(given, "json") && !has(given, "quiet") && process.stdin.isTTY === true && process.stderr.isTTY === true;
}
