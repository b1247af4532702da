import { onInterrupt } from "@perdura/internals/terminal/interrupt.js";
import { printLine, watchOutput } from "@perdura/internals/terminal/lost_output.js";
import { has } from "@perdura/internals/terminal/option_table.js";
import { progressPrinter } from "@perdura/internals/terminal/progress_printer.js";
import { jsonText, paintFor, printable, widthOf } from "@perdura/internals/terminal/terminal.js";
import { wrap } from "@perdura/internals/terminal/wrap.js";
import { VERSION } from "../version.ts";
import { type Arguments, readArguments } from "./arguments.ts";
import { complaintOf } from "./complaint.ts";
import { helpText } from "./help.ts";
import { documentOf, type Outcome } from "./outcome.ts";
import { runCommand } from "./run_command.ts";

/** How the program ends. */
interface End {
  code: number;
  /** What was done, in a sentence that stands where the output cannot be written. */
  done: string;
}

const STOPPING = "Stopping. Nothing half-written is left. (Again to end at once; what is stored stays whole.)";

/** Runs the program with the words after its name; returns the exit code. */
export async function main(words: readonly string[]): Promise<number> {
  const lostOutput = watchOutput();
  const { code, done } = await perform(words);
  const lost = await lostOutput();
  if (lost === undefined) return code;
  return complain(`The output could not be written (${lost.message}). ${done}`.trimEnd(), code || 1).code;
}

async function perform(words: readonly string[]): Promise<End> {
  try {
    const request = readArguments(words);
    if (request.kind === "version") return print(VERSION);
    if (request.kind === "help") return print(helpText(request.command, widthOf(process.stdout)));
    return await run(request);
  } catch (error) {
    const { text, code } = complaintOf(error);
    return complain(text, code);
  }
}

async function run(given: Arguments): Promise<End> {
  const progress = progressPrinter({ json: has(given, "json"), quiet: has(given, "quiet") });
  const interruption = onInterrupt(progress.clear, STOPPING);
  try {
    const { outcome, place } = await runCommand(given, progress, interruption.signal);
    printLine(textOf(outcome, place, given));
    return { code: outcome.code, done: outcome.summary };
  } catch (error) {
    const { text, code } = complaintOf(error, {
      command: given.command,
      interrupted: interruption.signal.aborted,
    });
    return complain(text, code);
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

function print(text: string): End {
  printLine(text);
  return { code: 0, done: "" };
}

function complain(text: string, code: number): End {
  process.stderr.write(`perdura-backup: ${text.split("\n").map(printable).join("\n")}\n`);
  return { code, done: "" };
}
