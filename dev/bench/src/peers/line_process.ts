import { type ChildProcessByStdio, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { peakMemoryOf } from "../measure/peak_memory.ts";

/** A program that answers input lines with output lines, and runs until its input ends. */
export class LineProcess {
  readonly #child: ChildProcessByStdio<Writable, Readable, null>;
  readonly #lines: AsyncIterator<string>;
  readonly #name: string;

  constructor(name: string, words: readonly string[]) {
    this.#name = name;
    this.#child = spawn(name, words, { stdio: ["pipe", "pipe", "inherit"] });
    this.#lines = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]();
  }

  /** Sends one or several lines. */
  tell(text: string): void {
    this.#child.stdin.write(`${text}\n`);
  }

  /** The next line of output. */
  async answer(): Promise<string> {
    const { done, value } = await this.#lines.next();
    if (done === true) throw new Error(`${this.#name} ended before its work was done.`);
    return value;
  }

  peakMemory(): number | null {
    return peakMemoryOf(this.#child.pid as number);
  }

  close(): void {
    this.#child.stdin.end();
  }
}
