import { writeSync } from "node:fs";

/** Prints a line for the soak. It is read even if the process is killed directly after. */
export function say(word: string, rest: string | number = ""): void {
  writeSync(1, `${`${word} ${rest}`.replaceAll("\n", " ").trimEnd()}\n`);
}

/**
 * Calls `step` until standard input ends. An error is printed as `failed` and ends the program: no program of a crowd
 * may meet an error.
 */
export async function untilSignal(step: () => void | Promise<void>): Promise<void> {
  const over = new AbortController();
  process.stdin.on("end", () => over.abort()).resume();
  try {
    while (!over.signal.aborted) {
      await step();
      await new Promise((resolve) => void setImmediate(resolve));
    }
  } catch (error) {
    const { name, message, code, stack } = error as Error & { code?: unknown };
    say("failed", `${name} ${String(code)}: ${message} ${stack?.split("\n")[1] ?? ""}`);
  }
  process.stdin.destroy();
}
