import { EXIT } from "./exit_codes.ts";

const SIGNALS = ["SIGINT", "SIGTERM"] as const;

type Listener = () => void;

/** A request to stop from outside of the program. */
interface Interruption {
  signal: AbortSignal;
  /** Stops listening. */
  end: Listener;
}

/** Listener for Ctrl-C while no command listens; undefined if this code runs in another program. */
let outsideWork: Listener | undefined;

/**
 * Makes Ctrl-C (SIGINT) and SIGTERM end the program with exit code 130 and a message, except while a command listens
 * with {@link onInterrupt}. Must be called before other work, and again when `done` changes.
 *
 * @param done The work that was done so far, as a sentence.
 */
export function endOnInterrupt(program: string, done: string): void {
  const before = outsideWork;
  outsideWork = () => {
    process.stderr.write(`${`${program}: Interrupted. ${done}`.trimEnd()}\n`);
    process.exit(EXIT.interrupted);
  };
  replace(before, outsideWork);
}

/** True if this process runs a program that called {@link endOnInterrupt}: it contains no code of other people. */
export function isProgram(): boolean {
  return outsideWork !== undefined;
}

/** Changes the message of {@link endOnInterrupt}, in a program that called it. */
export function sayOnInterrupt(program: string, done: string): void {
  if (isProgram()) endOnInterrupt(program, done);
}

/**
 * Listens for Ctrl-C and SIGTERM. The first signal asks the command to end, which it does after the running statement.
 * The second one ends the process at once; like a kill, this does not damage the data.
 *
 * @param before Called before the message is printed.
 * @param stopping Message for a user at a terminal.
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

/** Waits until pending signals and keys are delivered. The first turn may precede the event loop's next poll. */
export async function deliverArrived(): Promise<void> {
  await turn();
  await turn();
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Adds before it removes: without any listener, Node.js drops a pending signal. */
function replace(old: Listener | undefined, listener: Listener | undefined): void {
  for (const name of SIGNALS) {
    if (listener !== undefined) process.once(name, listener);
    if (old !== undefined) process.off(name, old);
  }
}
