import { spawn } from "node:child_process";
import type { ChildProcessByStdio } from "node:child_process";
import { once } from "node:events";
import type { Socket } from "node:net";
import { tmpdir } from "node:os";
import type { Readable } from "node:stream";
import { until } from "./until.ts";
import { hold, release } from "./watchdog.ts";

/** Number of characters of its output that are kept. */
const LAST_WORDS = 4000;

/** A server program for Node.js that runs as our user; the watchdog ends it when our process ends. */
export class NodeProcess {
  readonly pid: number;
  readonly #name: string;
  readonly #child: ChildProcessByStdio<null, Readable, Readable>;
  #said = "";

  /**
   * @param name For errors.
   * @param words The program's file, and its arguments.
   * @param environment Variables in addition to ours; unlike arguments, other users of the machine cannot see them.
   */
  constructor(name: string, words: readonly string[], environment: Record<string, string> = {}) {
    this.#name = name;
    this.#child = spawn(process.execPath, words, {
      cwd: tmpdir(),
      detached: true,
      env: { ...process.env, NODE_OPTIONS: "", ...environment },
      stdio: ["ignore", "pipe", "pipe"],
      windowsHide: true,
    });
    for (const output of [this.#child.stdout, this.#child.stderr]) {
      output.setEncoding("utf8").on("data", (text: string) => {
        this.#said = (this.#said + text).slice(-LAST_WORDS);
      });
      // Does not keep our process alive; the watchdog ends the server then.
      (output as Socket).unref();
    }
    // A program that cannot be started has no id, which is reported below.
    this.#child.once("error", () => {});
    if (this.#child.pid === undefined) throw new Error(`cannot start ${process.execPath}`);
    this.pid = this.#child.pid;
    hold({ process: this.pid });
    this.#child.once("exit", () => release({ process: this.pid }));
    this.#child.unref();
  }

  /** Waits until it reports its address. @param line The URL is its first group. */
  async listening(line: RegExp): Promise<string> {
    let url: string | undefined;
    try {
      await until(`${this.#name} to listen`, () => {
        url = line.exec(this.#said)?.[1];
        return url !== undefined || this.#ended;
      });
    } catch (error) {
      await this.stop();
      throw new Error(`${this.#name} did not start in time. Its output:\n${this.#said}`, { cause: error });
    }
    if (url === undefined) throw new Error(`${this.#name} did not start. Its output:\n${this.#said}`);
    return url;
  }

  /** Kills it: it has no data to save. */
  async stop(): Promise<void> {
    if (this.#ended) return;
    this.#child.ref();
    const exit = once(this.#child, "exit");
    this.#child.kill("SIGKILL");
    await exit;
  }

  get #ended(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }
}
