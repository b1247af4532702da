import { spawn } from "node:child_process";
import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { atExit } from "../at_exit.ts";
import { ADAPTER_TIME_ZONE } from "../matching/timestamp.ts";
import { escapeControls, shellWord } from "../values/escape.ts";
import { AdapterFault } from "./channel.ts";
import type { AdapterSource, Channel } from "./channel.ts";
import { noiseFault } from "./check_answer.ts";
import { KeptOutput } from "./kept_output.ts";
import { MESSAGE_LIMIT } from "./messages.ts";

/**
 * Returns an adapter that is a program: it exchanges JSON Lines over its standard input and output.
 * @param command program and arguments, quoted as in a shell; no shell is involved.
 * @throws {Error} when the command is empty or a quote is not closed.
 * @example
 * ```ts
 * import { commandAdapter } from "@perdura/conformance";
 *
 * const adapter = commandAdapter('python3 "my adapter.py" 16');
 * console.log(adapter.transport); // stdio
 * ```
 */
export function commandAdapter(command: string): AdapterSource {
  const [program, ...args] = splitCommand(command);
  if (program === undefined) throw new Error("the adapter command is empty");
  const env = { ...process.env, TZ: ADAPTER_TIME_ZONE };
  return {
    name: command,
    transport: "stdio",
    option: `--adapter ${shellWord(command)}`,
    connect: () =>
      Promise.resolve(
        new StdioChannel(
          spawn(program, args, { stdio: "pipe", windowsHide: true, env, detached: HAS_GROUPS }),
          program,
        ),
      ),
  };
}

/**
 * True where processes have groups. Each adapter is in a group of its own, which is killed as a whole: a program that
 * only starts the adapter, such as npx, would otherwise leave it running.
 */
const HAS_GROUPS = process.platform !== "win32";

/** Time in which an adapter must exit after its input or its output was closed. */
const GRACE_MS = 1000;

/** The standard input and output of a program, line by line. */
class StdioChannel implements Channel {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #ended: Promise<void>;
  /** Input that was not delivered yet, and its length in bytes. */
  #chunks: Buffer[] = [];
  #length = 0;
  readonly #stderr = new KeptOutput();
  #fault: AdapterFault | undefined;
  #waiting: { accept: (line: string) => void; refuse: (fault: AdapterFault) => void } | undefined;

  constructor(child: ChildProcessWithoutNullStreams, program: string) {
    this.#child = child;
    child.stdout.on("data", (chunk: Buffer) => this.#receive(chunk));
    child.stdout.on("end", () => this.#awaitEnd());
    child.stderr.on("data", (chunk: Buffer) => this.#stderr.add(chunk));
    // A write to an adapter that has ended fails here; "close" reports the end.
    child.stdin.on("error", () => undefined);
    const kill = atExit(() => killGroup(child));
    this.#ended = new Promise((resolve) => {
      child.on("error", (error) => {
        this.#fail(new AdapterFault("crash", `${program} could not be started: ${error.message}`));
        kill();
        resolve();
      });
      child.on("close", (code, signal) => {
        const cut = this.#length > 0 ? " in the middle of a line" : "";
        this.#fail(
          new AdapterFault(
            "crash",
            `the adapter ended${cut} (${signal === null ? `exit code ${code}` : `signal ${signal}`})`,
          ),
        );
        kill();
        resolve();
      });
    });
  }

  exchange(line: string, timeoutMs: number): Promise<string> {
    return new Promise((accept, refuse) => {
      if (this.#fault) return refuse(this.#fault);
      this.#stderr.begin();
      const timer = setTimeout(() => this.#fail(new AdapterFault("timeout", this.#missing(timeoutMs))), timeoutMs);
      this.#waiting = {
        accept: (reply) => {
          clearTimeout(timer);
          accept(reply);
        },
        refuse: (fault) => {
          clearTimeout(timer);
          refuse(fault);
        },
      };
      this.#child.stdin.write(`${line}\n`);
    });
  }

  diagnostics(): string {
    return this.#stderr.text();
  }

  async kill(): Promise<void> {
    this.#kill();
    await this.#ended;
  }

  async close(): Promise<void> {
    this.#child.stdin.end();
    const timer = setTimeout(() => this.#kill(), this.#fault ? 0 : GRACE_MS);
    await this.#ended;
    clearTimeout(timer);
  }

  /** Standard output also ends when the program does, whose exit code says more: it gets a moment to end. */
  #awaitEnd(): void {
    const cut = this.#length > 0 ? `; it has sent ${preview(Buffer.concat(this.#chunks))}, without a line end` : "";
    const timer = setTimeout(
      () => this.#breach(`the adapter closed its standard output and did not end${cut}`),
      GRACE_MS,
    );
    void this.#ended.then(() => clearTimeout(timer));
  }

  #missing(timeoutMs: number): string {
    if (this.#length === 0) return `no answer within ${timeoutMs} ms`;
    return `no line end within ${timeoutMs} ms; the adapter has sent ${preview(Buffer.concat(this.#chunks))}`;
  }

  #kill(): void {
    killGroup(this.#child);
    // A child process of the adapter may still hold the pipes; it is not waited for.
    this.#child.stdout.destroy();
    this.#child.stderr.destroy();
  }

  #receive(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#length += chunk.length;
    if (!this.#waiting) {
      const lines = chunk.toString("utf8").trimEnd().split("\n");
      return this.#breach(noiseFault(lines) ?? `the adapter sent output without a request: ${preview(chunk)}`);
    }
    const end = chunk.indexOf(0x0a);
    if (end < 0) {
      if (this.#length > MESSAGE_LIMIT) this.#breach(`the adapter sent a line of more than ${MESSAGE_LIMIT} bytes`);
    } else if (end < chunk.length - 1) {
      const lines = Buffer.concat(this.#chunks).toString("utf8").trimEnd().split("\n");
      this.#breach(noiseFault(lines) ?? `the adapter sent ${lines.length} answers to one request: ${preview(chunk)}`);
    } else {
      this.#deliver(Buffer.concat(this.#chunks).subarray(0, -1));
    }
  }

  #deliver(line: Buffer): void {
    this.#chunks = [];
    this.#length = 0;
    let text: string;
    try {
      text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(line);
    } catch {
      return this.#breach("the adapter sent bytes that are not UTF-8");
    }
    this.#waiting?.accept(text);
    this.#waiting = undefined;
  }

  #breach(message: string): void {
    this.#fail(new AdapterFault("protocol-error", message));
  }

  #fail(fault: AdapterFault): void {
    this.#fault ??= fault;
    this.#waiting?.refuse(this.#fault);
    this.#waiting = undefined;
  }
}

function killGroup(child: ChildProcessWithoutNullStreams): void {
  if (!HAS_GROUPS || child.pid === undefined) {
    child.kill("SIGKILL");
    return;
  }
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch (error) {
    // The group has ended already.
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

function preview(bytes: Buffer): string {
  return escapeControls(JSON.stringify(bytes.subarray(0, 80).toString("utf8")));
}

/**
 * Splits a command like a shell: blanks separate words, single and double quotes group, a backslash escapes the next
 * character, inside double quotes only `"` and `\`.
 * @throws {Error} when a quote is not closed.
 * @example splitCommand('python3 "my adapter.py"') // ["python3", "my adapter.py"]
 */
function splitCommand(command: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  let quote = "";
  for (let index = 0; index < command.length; index += 1) {
    const character = command[index] as string;
    const next = command[index + 1];
    if (character === "\\" && quote !== "'" && next !== undefined && (quote === "" || next === '"' || next === "\\")) {
      word = (word ?? "") + next;
      index += 1;
    } else if (quote === "" && (character === '"' || character === "'")) {
      quote = character;
      word ??= "";
    } else if (character === quote && quote !== "") {
      quote = "";
    } else if (quote === "" && /\s/.test(character)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else {
      word = (word ?? "") + character;
    }
  }
  if (quote !== "") throw new Error(`a ${quote} is not closed in the command ${JSON.stringify(command)}`);
  if (word !== undefined) words.push(word);
  return words;
}
