import { setImmediate as turn } from "node:timers/promises";
import { EXIT } from "./exit_codes.ts";

const SIGNALS = ["SIGINT", "SIGTERM"] as const;

type Listener = () => void;

/** A request to stop that may come from outside. */
interface Interruption {
  signal: AbortSignal;
  /** Stops listening. */
  end: Listener;
}

/** What a program does at Ctrl-C while no work listens; undefined where this code runs in another program. */
let outsideWork: Listener | undefined;

/**
 * From now on Ctrl-C (SIGINT) and SIGTERM end the program with exit code 130 and a sentence, except while work listens with
 * {@link onInterrupt}. To be called first of all, and again when something was done.
 *
 * @param done What was done until now.
 */
export function endOnInterrupt(program: string, done: string): void {
  const before = outsideWork;
  outsideWork = () => {
    process.stderr.write(`${`${program}: Interrupted. ${done}`.trimEnd()}\n`);
    process.exit(EXIT.interrupted);
  };
  replace(before, outsideWork);
}

/** Changes what {@link endOnInterrupt} says, in a program that called it. */
export function sayOnInterrupt(program: string, done: string): void {
  if (outsideWork !== undefined) endOnInterrupt(program, done);
}

/**
 * Listens for Ctrl-C and its like. The first asks the work to end, which takes until the statement at work is done; the
 * second ends the process at once, as if it were killed: the data stays whole then too.
 *
 * @param before Called before anything is printed.
 * @param stopping What happens now, for somebody at a terminal.
 */
export function onInterrupt(before: () => void, stopping: string): Interruption {
  const controller = new AbortController();
  const interrupt = (): void => {
    controller.abort();
    before();
    if (process.stderr.isTTY === true) process.stderr.write(`${stopping}\n`);
    replace(interrupt, undefined);
  };
  replace(outsideWork, interrupt);
  return { signal: controller.signal, end: () => replace(interrupt, outsideWork) };
}

/** Lets what has arrived be delivered, a signal or a key. The first turn may come before the event loop has looked. */
export async function deliverArrived(): Promise<void> {
  await turn();
  await turn();
}

/** Adds before it removes: without any listener, Node.js drops a signal that has arrived and was not delivered yet. */
function replace(old: Listener | undefined, listener: Listener | undefined): void {
  for (const name of SIGNALS) {
    if (listener !== undefined) process.once(name, listener);
    if (old !== undefined) process.off(name, old);
  }
}
