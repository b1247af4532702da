import { spawn } from "node:child_process";
import type { ChildProcessByStdio } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import type { Socket } from "node:net";
import { tmpdir } from "node:os";
import type { Readable } from "node:stream";
import { until } from "../processes/until.ts";
import { hold, release } from "../processes/watchdog.ts";

/** Megabytes of all blobs together; more than the default of a small machine. */
const MEMORY = 2048;

/** So many characters of its output are kept. */
const LAST_WORDS = 4000;

const WORDS = [
  "--blobHost=127.0.0.1",
  "--blobPort=0",
  // The SDK can be newer than the newest version that Azurite knows.
  "--skipApiVersionCheck",
  "--inMemoryPersistence",
  `--extentMemoryLimit=${MEMORY}`,
  "--disableTelemetry",
  "--disableProductStyleUrl",
  "--silent",
];

const require = createRequire(import.meta.url);

/** The process of a server; the watchdog ends it when we are gone. */
export class AzuriteProcess {
  readonly pid: number;
  readonly #child: ChildProcessByStdio<null, Readable, Readable>;
  #said = "";

  constructor(account: string, key: string) {
    const program = require.resolve("azurite/dist/src/blob/main.js");
    this.#child = spawn(process.execPath, [program, ...WORDS], {
      cwd: tmpdir(),
      detached: true,
      // By the environment, where other users of the machine do not see the key.
      env: { ...process.env, NODE_OPTIONS: "", AZURITE_ACCOUNTS: `${account}:${key}` },
      stdio: ["ignore", "pipe", "pipe"],
      windowsHide: true,
    });
    for (const output of [this.#child.stdout, this.#child.stderr]) {
      output.setEncoding("utf8").on("data", (text: string) => {
        this.#said = (this.#said + text).slice(-LAST_WORDS);
      });
      // Who forgets a server can end nevertheless; the watchdog ends it then.
      (output as Socket).unref();
    }
    // A program that cannot be started has no id, which is told below.
    this.#child.once("error", () => {});
    if (this.#child.pid === undefined) throw new Error(`${process.execPath}: cannot be started`);
    this.pid = this.#child.pid;
    hold({ process: this.pid });
    this.#child.once("exit", () => release({ process: this.pid }));
    this.#child.unref();
  }

  /** Waits until it can be asked. @returns Its URL. */
  async listening(): Promise<string> {
    let url: string | undefined;
    try {
      await until("Azurite to listen", () => {
        url = /successfully listens on (http:\S+)/.exec(this.#said)?.[1];
        return url !== undefined || this.#ended;
      });
    } catch (error) {
      await this.stop();
      throw new Error(`Azurite did not start in time and said:\n${this.#said}`, { cause: error });
    }
    if (url === undefined) throw new Error(`Azurite did not start and said:\n${this.#said}`);
    return url;
  }

  /** Ends it at once: it has nothing to save. */
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
