import { EXIT, type ExitCode } from "./exit_codes.ts";
import { onInterrupt } from "./interrupt.ts";
import { printLine } from "./lost_output.ts";
import { has } from "./option_table.ts";
import { complain, type End, endInterrupted, exitCodeOf, print } from "./program_end.ts";
import type { CommonOption, Invocation, ProgramTable } from "./program_table.ts";
import type { ProgressPrinter } from "./progress_printer.ts";
import { hasColour, jsonText, type Paint, paintFor, widthOf } from "./terminal.ts";
import { DecisionNeeded, Interrupted, UsageError } from "./usage_error.ts";

/** What a command did. */
export interface Result {
  code: ExitCode;
  /** One line: all that --quiet prints, and, with `stopping`, what stderr says where the output was lost. */
  summary: string;
  /** What stderr says of it where the output was lost or Ctrl-C came at the end; the summary unless it is given. */
  done?: string;
  /** What --json prints. */
  document: unknown;
  /** True where the document is a list of which each is a line of JSON (JSON Lines). */
  isJsonLines?: boolean;
  /** What is printed otherwise, the summary included; with its last line end where it is laid out. */
  text: string;
  /** True for text that was laid out for `width` already, or is to be printed as it is: it is not wrapped again. */
  isLaidOut?: boolean;
  /** Called when the result is printed, for what may fail and must not keep it back. */
  finish?: () => void;
}

/** What a command works with. */
export interface Tools {
  progress: ProgressPrinter;
  /** Aborted by Ctrl-C where the program's `stopping` is given. */
  signal: AbortSignal;
  /** Columns of the output. */
  width: number;
  paint: Paint;
  /** True where the output may have colours. */
  colour: boolean;
  /** Prints a line at once, before the result; nothing with --json or --quiet. */
  say: (line: string) => void;
}

/** Does what a command is for. */
export type Runner<Command extends string, Option extends string> = (
  given: Invocation<Command, Option>,
  tools: Tools,
) => Promise<Result>;

/** How a failure ends a program. */
export interface Complaint {
  text: string;
  code: ExitCode;
}

/** A program: its table, and the code of its commands, which is loaded when a command runs. */
export interface Program<Command extends string, Option extends string> {
  table: ProgramTable<Command, Option>;
  version: () => string;
  load: Readonly<Record<Command, () => Promise<Runner<Command, Option>>>>;
  /** What a person at a terminal is told at the first Ctrl-C; without it Ctrl-C ends the program at once. */
  stopping?: string;
  /**
   * Says an error of the program's own in words of the command line; undefined for an error that it does not know.
   *
   * @param reason What the signal was aborted with; undefined where it was not.
   */
  complaintOf?: (
    error: unknown,
    given: Invocation<Command, Option> | undefined,
    reason: unknown,
  ) => Complaint | undefined;
}

/** Runs a program with the words after its name; returns the exit code. */
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
  // Before anything else is loaded. With a command, --version may be an option of it.
  if (words[0] === "--version" || words[0] === "-V") return print(program.version());
  try {
    const request = (await import("./read_words.ts")).readWords(table, words);
    if (request.kind === "help")
      return print((await import("./help.ts")).helpText(table, request.command, widthOf(process.stdout)));
    if (request.kind === "completion")
      return print((await import("./completion.ts")).completionScript(table, request.shell).trimEnd());
    return await run(program, request);
  } catch (error) {
    const known = words.find((word) => Object.hasOwn(table.commands, word));
    return failed(program, error, undefined, undefined, known);
  }
}

async function run<Command extends string, Option extends string>(
  program: Program<Command, Option>,
  given: Invocation<Command, Option>,
): Promise<End> {
  const asks = (name: CommonOption): boolean => has(given, name);
  const { progressPrinter } = await import("./progress_printer.ts");
  const progress = progressPrinter({ json: asks("json"), quiet: asks("quiet") });
  const { stopping } = program;
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
    await show(result, asks, tools.width);
    result.finish?.();
    // A program that may end at any time leaves nothing that a person has to know of.
    const done = { code: result.code, done: stopping === undefined ? "" : (result.done ?? result.summary) };
    return signal.aborted ? endInterrupted(program.table.name, done) : done;
  } catch (error) {
    return failed(program, error, given, signal.aborted ? signal.reason : undefined, given.command);
  } finally {
    end();
  }
}

async function show(result: Result, asks: (name: CommonOption) => boolean, width: number): Promise<void> {
  const { document, isJsonLines, summary, text, isLaidOut } = result;
  if (asks("json")) {
    if (isJsonLines === true) for (const each of document as unknown[]) printLine(jsonText(each));
    else printLine(jsonText(document, 2));
  } else if (asks("quiet")) printLine(summary);
  else if (isLaidOut === true) process.stdout.write(text);
  else printLine((await import("./wrap.ts")).wrap(text, width));
}

function failed<Command extends string, Option extends string>(
  { table, complaintOf }: Program<Command, Option>,
  error: unknown,
  given: Invocation<Command, Option> | undefined,
  reason: unknown,
  command: string | undefined,
): End {
  const own = complaintOf?.(error, given, reason) ?? complaint(error, reason);
  const help = `${table.name}${command === undefined ? "" : ` ${command}`} --help`;
  const text = error instanceof UsageError ? `${own.text} See ${help}.` : own.text;
  return complain(table.name, table.secrets.withoutSecrets(text), own.code);
}

function complaint(error: unknown, reason: unknown): Complaint {
  // Another failure is one, also where a person asked the command to end.
  if (error instanceof Interrupted || (reason !== undefined && error === reason))
    return { text: "Interrupted.", code: EXIT.interrupted };
  if (error instanceof UsageError) return { text: error.message, code: EXIT.usage };
  if (error instanceof DecisionNeeded) return { text: error.message, code: EXIT.decision };
  return { text: `Failed: ${(error as Error).stack ?? String(error)}`, code: EXIT.failed };
}
