const SIGNALS = ["SIGINT", "SIGTERM"] as const;

/** A request to stop that may come from outside. */
interface Interruption {
  signal: AbortSignal;
  /** Stops listening. */
  end: () => void;
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
    end();
  };
  const end = (): void => SIGNALS.forEach((name) => void process.off(name, interrupt));
  for (const name of SIGNALS) process.once(name, interrupt);
  return { signal: controller.signal, end };
}
