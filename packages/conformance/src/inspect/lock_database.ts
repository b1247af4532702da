import { spawn } from "node:child_process";
import type { ChildProcessByStdio } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { atExit } from "../at_exit.ts";
import { WRITABLE, type Finding } from "./findings.ts";
import { suiteText } from "./suite_text.ts";
import { missing, placeOf } from "./text_files.ts";

/** A lock of another program, or the difference that prevented it. */
interface LockAttempt {
  findings: Finding[];
  /** Lets the other program release a lock that has a longest time; resolves when it has released the lock. */
  release(): Promise<unknown>;
}

/**
 * Lets another program take the lock of a writer on a database; readers can still read. Returns once the lock is held.
 * @param longestMs the lock is held until `release` is called, but not for longer; by default, it ends after a moment.
 * @throws {Error} when the other program fails for a reason that is not the database, with its words.
 */
export async function lockDatabase(file: string, directory: string, longestMs?: number): Promise<LockAttempt> {
  const path = placeOf(file, directory);
  if (!existsSync(path)) return { findings: [missing(file)], release: nothing };
  const program = idle.pop() ?? new OtherProgram();
  const word = await program.ask(JSON.stringify([path, Date.now(), longestMs ?? null]));
  if (word === undefined) throw new Error(`the program that writes to ${file} failed: ${program.problem.trim()}`);
  if (word === "held") {
    const released = program.next().then(() => idle.push(program));
    if (longestMs === undefined) return { findings: [], release: () => released };
    return { findings: [], release: () => (program.tell("release"), released) };
  }
  idle.push(program);
  const got = suiteText(JSON.parse(word) as string);
  return { findings: [{ at: "", wanted: WRITABLE, got }], release: nothing };
}

const nothing = (): Promise<void> => Promise.resolve();

/** Other programs that wait for a request, because starting one takes longer than its work. */
const idle: OtherProgram[] = [];

/** The program `hold_lock`, which does not keep this process alive. */
class OtherProgram {
  problem = "";
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly #lines: AsyncIterator<string>;

  constructor() {
    const program = new URL(`./hold_lock.${import.meta.url.endsWith(".ts") ? "ts" : "js"}`, import.meta.url);
    this.#child = spawn(process.execPath, ["--no-warnings", fileURLToPath(program)], {
      stdio: ["pipe", "pipe", "pipe"],
      windowsHide: true,
    });
    this.#child.stderr.setEncoding("utf8").on("data", (text: string) => (this.problem += text));
    this.#child.stdin.on("error", () => undefined);
    this.#lines = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]();
    const kill = atExit(() => this.#child.kill("SIGKILL"));
    this.#child.once("close", kill);
    this.#hold(false);
  }

  /** Sends a request; returns the first line of the answer, or undefined if the program ended. */
  ask(request: string): Promise<string | undefined> {
    this.tell(request);
    return this.next();
  }

  /** Sends a line that has no answer of its own. */
  tell(line: string): void {
    this.#child.stdin.write(`${line}\n`);
  }

  /** The next line of its output. */
  async next(): Promise<string | undefined> {
    this.#hold(true);
    try {
      const { value, done } = await this.#lines.next();
      if (done !== true) return value;
      if (this.#child.exitCode === null && this.#child.signalCode === null) await once(this.#child, "close");
      return undefined;
    } finally {
      this.#hold(false);
    }
  }

  /** Lets this process wait for the program, or end before it. */
  #hold(isAwaited: boolean): void {
    const streams = [this.#child.stdin, this.#child.stdout, this.#child.stderr] as unknown as {
      ref(): void;
      unref(): void;
    }[];
    for (const handle of [this.#child, ...streams])
      if (isAwaited) handle.ref();
      else handle.unref();
  }
}
