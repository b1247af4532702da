import { EXIT, type ExitCode } from "./exit_codes.ts";
import { helpText } from "./help.ts";
import { onInterrupt } from "./interrupt.ts";
import { printLine, watchErrors } from "./lost_output.ts";
import { has } from "./option_table.ts";
import { namedCommand, parseArguments } from "./parse_arguments.ts";
import { complain, type End, endInterrupted, exitCodeOf, print } from "./program_end.ts";
import type { CommonOption, Invocation, ProgramTable } from "./program_table.ts";
import type { ProgressPrinter } from "./progress_printer.ts";
import { hasColour, jsonText, type Paint, paintFor, widthOf } from "./terminal.ts";
import { DecisionNeeded, Interrupted, UsageError } from "./usage_error.ts";
import { wrap } from "./wrap.ts";

/** Result of a command. */
export interface Result {
  code: ExitCode;
  /** One line: the whole output of --quiet, and, with `stopping`, the message on stderr if the output was lost. */
  summary: string;
  /** The message on stderr if the output was lost or Ctrl-C was pressed at the end; the summary by default. */
  done?: string;
  /** The output of --json. */
  document: unknown;
  /** True if the document is a list whose items are printed one per line (JSON Lines). */
  isJsonLines?: boolean;
  /** The text output, including the summary; with its last line end if it is laid out. */
  text: string;
  /** True for text that is already laid out for `width`, or printed unchanged: it is not wrapped again. */
  isLaidOut?: boolean;
  /** Called after the result was printed, for work that may fail and must not prevent the output. */
  finish?: () => void;
}

/** Tools of a command. */
export interface Tools {
  progress: ProgressPrinter;
  /** Aborted by Ctrl-C in a command with a message for {@link Program.stopping}. */
  signal: AbortSignal;
  /** Columns of the output. */
  width: number;
  paint: Paint;
  /** True if the output may have colours. */
  colour: boolean;
  /** Prints a line at once, before the result; nothing with --json or --quiet. */
  say: (line: string) => void;
}

/** Runs a command. */
export type Runner<Command extends string, Option extends string> = (
  given: Invocation<Command, Option>,
  tools: Tools,
) => Promise<Result>;

/** Message and exit code of a failure. */
export interface Complaint {
  text: string;
  code: ExitCode;
}

/** A program: its table, and the code of its commands, which is loaded only when a command runs. */
export interface Program<Command extends string, Option extends string> {
  table: ProgramTable<Command, Option>;
  version: () => string;
  load: Readonly<Record<Command, () => Promise<Runner<Command, Option>>>>;
  /**
   * Message for a user at a terminal at the first Ctrl-C in a command. Without the function or its message, Ctrl-C ends
   * the program at once.
   */
  stopping?: (command: Command) => string | undefined;
  /**
   * Converts an error of the program into a message of the command line; undefined for an unknown error.
   *
   * @param reason Reason of the aborted signal; undefined if it was not aborted.
   */
  complaintOf?: (
    error: unknown,
    given: Invocation<Command, Option> | undefined,
    reason: unknown,
  ) => Complaint | undefined;
}

/** Runs a program with its arguments; returns the exit code. */
export function runProgram<Command extends string, Option extends string>(
  program: Program<Command, Option>,
  words: readonly string[],
): Promise<number> {
  return exitCodeOf(program.table.name, () => perform(program, words));
}

async function perform<Command extends string, Option extends string>(
  program: Program<Command, Option>,
  words: readonly string[],
): Promise<End> {
  const { table } = program;
  // After a command, --version may be an option of the command.
  if (words[0] === "--version" || words[0] === "-V") return print(program.version());
  try {
    const request = parseArguments(table, words);
    if (request.kind === "help") return print(helpText(table, request.command, widthOf(process.stdout)));
    if (request.kind === "completion")
      return print((await import("./completion.ts")).completionScript(table, request.shell).trimEnd());
    return await run(program, request);
  } catch (error) {
    return failed(program, error, undefined, undefined, namedCommand(table, words));
  }
}

async function run<Command extends string, Option extends string>(
  program: Program<Command, Option>,
  given: Invocation<Command, Option>,
): Promise<End> {
  watchErrors();
  const asks = (name: CommonOption): boolean => has(given, name);
  const { progressPrinter } = await import("./progress_printer.ts");
  const progress = progressPrinter({ json: asks("json"), quiet: asks("quiet") });
  const stopping = program.stopping?.(given.command);
  const { signal, end } =
    stopping === undefined
      ? { signal: new AbortController().signal, end: () => undefined }
      : onInterrupt(progress.clear, stopping);
  const colour = hasColour(process.stdout, !asks("no-color"));
  const tools: Tools = {
    progress,
    signal,
    width: widthOf(process.stdout),
    paint: paintFor(process.stdout, !asks("no-color")),
    colour,
    say: asks("json") || asks("quiet") ? () => undefined : printLine,
  };
  try {
    const command = await program.load[given.command]();
    const result = await command(given, tools).finally(progress.clear);
    show(result, asks, tools.width);
    result.finish?.();
    // A command without `stopping` may end at any time, so nothing needs to be reported.
    const done = { code: result.code, done: stopping === undefined ? "" : (result.done ?? result.summary) };
    return signal.aborted ? endInterrupted(program.table.name, done) : done;
  } catch (error) {
    return failed(program, error, given, signal.aborted ? signal.reason : undefined, given.command);
  } finally {
    end();
  }
}

function show(result: Result, asks: (name: CommonOption) => boolean, width: number): void {
  const { document, isJsonLines, summary, text, isLaidOut } = result;
  if (asks("json")) {
    if (isJsonLines === true) for (const each of document as unknown[]) printLine(jsonText(each));
    else printLine(jsonText(document, 2));
  } else if (asks("quiet")) printLine(summary);
  else if (isLaidOut === true) process.stdout.write(text);
  else printLine(wrap(text, width));
}

function failed<Command extends string, Option extends string>(
  { table, complaintOf }: Program<Command, Option>,
  error: unknown,
  given: Invocation<Command, Option> | undefined,
  reason: unknown,
  command: string | undefined,
): End {
  const own = complaintOf?.(error, given, reason) ?? complaint(error, reason);
  const help = `${table.name}${command === undefined || command === table.defaultCommand ? "" : ` ${command}`} --help`;
  const text = error instanceof UsageError ? `${own.text} See ${help}.` : own.text;
  return complain(table.name, table.secrets.redactSecrets(text), own.code);
}

function complaint(error: unknown, reason: unknown): Complaint {
  // Any other error is reported as a failure, even after a request to stop.
  if (error instanceof Interrupted || (reason !== undefined && error === reason))
    return { text: "Interrupted.", code: EXIT.interrupted };
  if (error instanceof UsageError) return { text: error.message, code: EXIT.usage };
  if (error instanceof DecisionNeeded) return { text: error.message, code: EXIT.decision };
  return { text: `Failed: ${(error as Error).stack ?? String(error)}`, code: EXIT.failed };
}
