import { type ChildProcess, spawn } from "node:child_process";
import { pathToFileURL } from "node:url";
import type { Measure } from "./measure.ts";
import { programWords } from "../../../../test/programs.ts";
import { PATIENCE_MS } from "../../../../test/patience.ts";

/**
 * Flags for exact measurements: garbage is collected on request, and the young generation of the heap has a fixed size.
 */
const FLAGS = ["--expose-gc", "--max-semi-space-size=4"];

/** A program that runs hour after hour and reports its measurements; from the folder `programs`, or another one. */
export class Life {
  readonly measures: Measure[] = [];
  readonly #child: ChildProcess;
  readonly #ended: Promise<number | string | null>;
  readonly #heard = new Map<string, string>();
  #stderr = "";
  #text = "";
  #waiting: (() => void)[] = [];
  #hangs = false;
  #over = false;

  /** @param program A file name in the folder `programs`, or a whole path. */
  constructor(program: string, words: readonly string[]) {
    const path = program.startsWith("/") ? pathToFileURL(program) : new URL(`programs/${program}`, import.meta.url);
    this.#child = spawn(process.execPath, [...FLAGS, ...programWords(path), ...words], {
      stdio: ["pipe", "pipe", "pipe"],
    });
    this.#child.stderr?.setEncoding("utf8").on("data", (text: string) => (this.#stderr += text));
    this.#child.stdout?.setEncoding("utf8").on("data", (text: string) => this.#read(text));
    // A process that has ended reads nothing.
    this.#child.stdin?.on("error", () => undefined);
    this.#ended = new Promise((resolve) =>
      this.#child.on("close", (code, signal) => {
        this.#over = true;
        this.#wake();
        resolve(signal ?? code);
      }),
    );
  }

  /** Text that the program printed after a word; undefined if it ended without it. */
  async heard(word: string): Promise<string | undefined> {
    await this.#until(() => this.#heard.has(word));
    return this.#heard.get(word);
  }

  /** Lets it run for an hour. */
  async nextHour(): Promise<void> {
    const before = this.measures.length;
    this.#child.stdin?.write("live\n");
    await this.#until(() => this.measures.length > before);
  }

  /** Kills it, as a crash would. */
  async kill(): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.#ended;
  }

  /** Ends it; returns the faults in the way it ended. */
  async end(): Promise<string[]> {
    this.#child.stdin?.end();
    await this.#until(() => false);
    const end = await this.#ended;
    if (this.#hangs) return [`it did not respond within ${PATIENCE_MS / 1000} s`];
    return end === 0 ? [] : [`it ended with ${end}: ${this.#stderr.slice(0, 2000)}`];
  }

  #read(text: string): void {
    const lines = (this.#text + text).split("\n");
    this.#text = lines.pop() ?? "";
    for (const line of lines) {
      const [word = "", rest = ""] = line.split(/ (.*)/);
      if (word === "hour") this.measures.push(JSON.parse(rest) as Measure);
      else this.#heard.set(word, rest);
    }
    this.#wake();
  }

  /** Waits for a line of the program, or its end. */
  async #until(reached: () => boolean): Promise<void> {
    const timer = setTimeout(() => {
      this.#hangs = true;
      this.#child.kill("SIGKILL");
    }, PATIENCE_MS);
    while (!this.#over && !reached()) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    clearTimeout(timer);
  }

  #wake(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}
