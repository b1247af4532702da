import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { plainUser } from "./plain_user.ts";
import { hold, release } from "./watchdog.ts";

/** A process of a server, which the watchdog ends when our process ends. */
export class ServerProcess {
  readonly pid: number;
  readonly #child: ChildProcess;
  readonly #program: string;
  readonly #log: string;
  /** Size of the log before its start. */
  readonly #logged: number;

  /**
   * Starts a program as the user of the servers. It writes into the file `log` of its directory instead of our
   * terminal, whose reader would otherwise wait for it.
   */
  constructor(program: string, words: readonly string[], directory: string) {
    this.#program = program;
    this.#log = join(directory, "log");
    const output = openSync(this.#log, "a");
    this.#logged = statSync(this.#log).size;
    try {
      this.#child = spawn(program, words, {
        ...plainUser(),
        cwd: directory,
        detached: true,
        env: environment(),
        stdio: ["ignore", output, output],
        windowsHide: true,
      });
    } finally {
      closeSync(output);
    }
    // A program that cannot be started has no id, which is reported below.
    this.#child.once("error", () => {});
    if (this.#child.pid === undefined) throw new Error(`cannot start ${program} as ${userName()}`);
    this.pid = this.#child.pid;
    hold({ process: this.pid });
    this.#child.once("exit", () => release({ process: this.pid }));
    // Does not keep our process alive; the watchdog ends the server then.
    this.#child.unref();
  }

  /** Outcome in words; undefined while it runs. */
  get end(): string | undefined {
    const { exitCode, signalCode } = this.#child;
    if (exitCode === null && signalCode === null) return undefined;
    return signalCode === null ? `status ${exitCode}` : `signal ${signalCode}`;
  }

  /** Its output so far. */
  get said(): string {
    return readFileSync(this.#log).subarray(this.#logged).toString("utf8");
  }

  /** Waits for its end. */
  async ended(): Promise<void> {
    if (this.end !== undefined) return;
    this.#child.ref();
    await once(this.#child, "exit");
  }

  /** An error with its outcome and its last output. */
  failure(what: string): Error {
    const state = this.end === undefined ? "is still running" : `ended with ${this.end}`;
    return new Error(`${what}: ${this.#program} ${state}. Its output:\n${this.said.split("\n").slice(-20).join("\n")}`);
  }
}

/** Our environment without variables that affect a server, and with the same language and time zone on all machines. */
function environment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !/^(?:PG|LC_|LANG|TZ$)/.test(name));
  return { ...Object.fromEntries(kept), LC_ALL: "C", TZ: "UTC" };
}

function userName(): string {
  const user = plainUser();
  return user === undefined ? "ourselves" : `the user ${user.uid}`;
}
