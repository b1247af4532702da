import { EXIT } from "./exit_codes.ts";
import { deliverArrived, sayOnInterrupt } from "./interrupt.ts";
import { printLine, watchErrors, watchOutput } from "./lost_output.ts";
import { printable } from "./terminal.ts";

/** End of a program. */
export interface End {
  code: number;
  /** The work that was done, as a sentence; shown if the output cannot be written. */
  done: string;
}

/** Runs a program and reports lost output; returns the exit code. */
export async function exitCodeOf(program: string, perform: () => Promise<End>): Promise<number> {
  const lostOutput = watchOutput();
  const { code, done } = await perform();
  // Handles an interruption that arrived during the work, or arrives while a slow reader reads the output.
  sayOnInterrupt(program, done);
  await deliverArrived();
  const lost = await lostOutput();
  if (lost === undefined) return code;
  return complain(program, `The output could not be written (${lost.message}). ${done}`.trimEnd(), code || EXIT.failed)
    .code;
}

/** Ends a program that finished before an interruption could stop it. Its exit code tells a script not to continue. */
export function endInterrupted(program: string, end: End): End {
  if (end.code === EXIT.interrupted || end.done === "") return end;
  return complain(program, `Interrupted after all work was done. ${end.done}`, EXIT.interrupted);
}

/** Prints a text as the whole output. */
export function print(text: string): End {
  printLine(text);
  return { code: EXIT.done, done: "" };
}

/** Prints an error to stderr. */
export function complain(program: string, text: string, code: number): End {
  watchErrors();
  process.stderr.write(`${program}: ${text.split("\n").map(printable).join("\n")}\n`);
  return { code, done: "" };
}
