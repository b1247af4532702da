import { onInterrupt } from "@perdura/cli/interrupt.js";
import { printLine } from "@perdura/cli/lost_output.js";
import { has } from "@perdura/cli/option_table.js";
import { complain, type End, endInterrupted, exitCodeOf, print } from "@perdura/cli/program_end.js";
import { progressPrinter } from "@perdura/cli/progress_printer.js";
import { jsonText, paintFor, printable, widthOf } from "@perdura/cli/terminal.js";
import { wrap } from "@perdura/cli/wrap.js";
import { VERSION } from "../version.ts";
import { type Arguments, readArguments } from "./arguments.ts";
import { complaintOf } from "./complaint.ts";
import { helpText } from "./help.ts";
import { documentOf, type Outcome } from "./outcome.ts";
import { runCommand } from "./run_command.ts";

const NAME = "perdura-backup";
const STOPPING = "Stopping. Nothing half-written is left. (Again to end at once; what is stored stays whole.)";

/** Runs the program with the words after its name; returns the exit code. */
export function main(words: readonly string[]): Promise<number> {
  return exitCodeOf(NAME, () => perform(words));
}

async function perform(words: readonly string[]): Promise<End> {
  try {
    const request = readArguments(words);
    if (request.kind === "version") return print(VERSION);
    if (request.kind === "help") return print(helpText(request.command, widthOf(process.stdout)));
    return await run(request);
  } catch (error) {
    const { text, code } = complaintOf(error);
    return complain(NAME, text, code);
  }
}

async function run(given: Arguments): Promise<End> {
  const progress = progressPrinter({ json: has(given, "json"), quiet: has(given, "quiet") });
  const interruption = onInterrupt(progress.clear, STOPPING);
  try {
    const { outcome, place } = await runCommand(given, progress, interruption.signal);
    printLine(textOf(outcome, place, given));
    const end = { code: outcome.code, done: outcome.summary };
    return interruption.signal.aborted ? endInterrupted(NAME, end) : end;
  } catch (error) {
    const { text, code } = complaintOf(error, {
      command: given.command,
      words: given.targets.slice(1),
      reason: interruption.signal.reason as unknown,
    });
    return complain(NAME, text, code);
  } finally {
    interruption.end();
  }
}

function textOf(outcome: Outcome, place: string, given: Arguments): string {
  if (has(given, "json")) return jsonText(documentOf(given.command, place, outcome), 2);
  const paint = paintFor(process.stdout, !has(given, "no-color"));
  const summary = (outcome.code === 0 ? paint.good : paint.bad)(printable(outcome.summary));
  if (has(given, "quiet")) return summary;
  return wrap([...outcome.lines, summary].join("\n"), widthOf(process.stdout));
}
