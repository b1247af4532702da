import { createInterface } from "node:readline";
import { deliverArrived } from "./interrupt.ts";
import { type Given, has } from "./option_table.ts";

type Answer = "yes" | "no" | "interrupted";

/** Streams of a question. */
interface Place {
  input: NodeJS.ReadableStream;
  output: NodeJS.WritableStream;
  terminal?: boolean | undefined;
  signal?: AbortSignal | undefined;
}

/**
 * True if a person may be there to answer, and has not asked for `--json` or `--quiet`. Opening stdin takes longer than
 * looking at stderr, which is open.
 */
export function canAsk(given: { given: readonly Given<string>[] }): boolean {
  return !has(given, "json") && !has(given, "quiet") && process.stderr.isTTY === true && process.stdin.isTTY === true;
}

/**
 * Asks a question that only an explicit yes confirms: the end of the input (Ctrl-D) means no, Ctrl-C an interruption.
 * In either case the next text starts on a new line.
 */
export function ask(question: string, { input, output, terminal, signal }: Place): Promise<Answer> {
  const prompt = createInterface({ input, output, ...(terminal === undefined ? {} : { terminal }) });
  const interruption = new AbortController();
  return new Promise<Answer>((resolve) => {
    let answered = false;
    const end = (answer: Answer): void => {
      if (!answered) output.write("\n");
      answered = true;
      resolve(answer);
    };
    const interrupt = (): void => end("interrupted");
    prompt.once("SIGINT", interrupt);
    prompt.once("close", () => {
      if (!answered) end("no");
    });
    if (signal?.aborted === true) interrupt();
    signal?.addEventListener("abort", interrupt, { once: true, signal: interruption.signal });
    prompt.question(question, (answer) => {
      answered = true;
      // A Ctrl-C directly after the answer takes precedence over it.
      void deliverArrived().then(() => resolve(/^y(?:es)?$/i.test(answer.trim()) ? "yes" : "no"));
    });
  }).finally(() => {
    interruption.abort();
    prompt.close();
  });
}
