import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { deliverArrived } from "@perdura/cli/interrupt.js";
import { Stop } from "../../core/stop.ts";
import type { OnBytes, Reply } from "./requests.ts";

interface Waiting {
  resolve: (answer: never) => void;
  reject: (error: Error) => void;
  onBytes: OnBytes | undefined;
}

/**
 * Sends requests to a child process, which is started with the first one, or by {@link start}. If `signal` is aborted,
 * the child is killed immediately, and all pending requests fail with "interrupted".
 */
export class HelperProcess {
  readonly #program: URL;
  readonly #signal: AbortSignal | undefined;
  readonly #waiting: Map<number, Waiting> = new Map();
  readonly #abort: () => void;
  #child: ChildProgram | undefined;
  #number = 0;

  /**
   * @param program The URL of the program's file without its extension: in the published package all files are in one
   *   directory.
   */
  constructor(program: URL, signal?: AbortSignal) {
    this.#program = program;
    this.#signal = signal;
    this.#abort = () => this.#end(new Stop("interrupted", "Interrupted. No data was changed."));
    signal?.addEventListener("abort", this.#abort);
  }

  /** Starts the child, if it is not running. */
  start(): ChildProgram {
    return (this.#child ??= ChildProgram.take(this.#program, {
      answered: (reply) => this.#settle(reply),
      ended: (error) => void this.#lose(error),
    }));
  }

  ask(request: object, onBytes?: OnBytes): Promise<never> {
    const child = this.start();
    const number = (this.#number += 1);
    return new Promise((resolve, reject) => {
      this.#waiting.set(number, { resolve, reject, onBytes });
      child.send({ number, request });
    });
  }

  /** Releases the child until the next request; pending requests fail. */
  releaseChild(): void {
    this.#end(new Error("The helper process was stopped."));
  }

  /** Releases the child, even during work; nothing in it needs to be saved. */
  close(): void {
    this.#signal?.removeEventListener("abort", this.#abort);
    this.releaseChild();
  }

  #settle(reply: Reply): void {
    const waiting = this.#waiting.get(reply.number);
    if ("done" in reply) return waiting?.onBytes?.(reply.done, reply.total);
    this.#waiting.delete(reply.number);
    if ("failure" in reply)
      waiting?.reject(Object.assign(new Error(reply.failure.message), { code: reply.failure.code }));
    else waiting?.resolve(reply.answer as never);
  }

  #end(reason: Error): void {
    if (this.#waiting.size === 0) this.#child?.release();
    else this.#child?.kill();
    this.#failAll(reason);
  }

  /**
   * Ctrl-C on a terminal signals the whole process group, and may end a child that is just starting before this process
   * handles the signal. So pending requests fail only after a request to stop, which is the better reason, could be
   * handled.
   */
  async #lose(error: Error): Promise<void> {
    this.#child = undefined;
    const lost = [...this.#waiting];
    await deliverArrived();
    for (const [number, { reject }] of lost) if (this.#waiting.delete(number)) reject(error);
  }

  #failAll(error: Error): void {
    this.#child = undefined;
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}

/** Receiver of the answers of a child process. */
interface Asker {
  answered(reply: Reply): void;
  /** The process ended, or could not be started. */
  ended(error: Error): void;
}

/** Lifetime of an idle process, in milliseconds. */
const IDLE_MS = 10_000;

/** Idle processes, by program. Starting a process takes longer than a run, and another run often follows. */
const idle: Map<string, Set<ChildProgram>> = new Map();

/** A child process that runs one of our programs. It ends with this process, and does not keep it alive while idle. */
class ChildProgram {
  readonly #program: string;
  readonly #process: ChildProcess;
  #asker: Asker | undefined;
  #timer: NodeJS.Timeout | undefined;

  private constructor(program: string) {
    this.#program = program;
    // The sources are .ts files, the published package has .js files.
    const ending = import.meta.url.endsWith(".ts") ? ".ts" : ".js";
    this.#process = fork(fileURLToPath(`${program}${ending}`), [], {
      serialization: "advanced",
      execArgv: ending === ".ts" ? ["--conditions=@perdura/source"] : [],
      stdio: ["ignore", "ignore", "inherit", "ipc"],
    });
    this.#process.on("message", (reply: Reply) => this.#asker?.answered(reply));
    this.#process.on("error", (error) => this.#ended(error));
    this.#process.on("exit", (code, signal) =>
      this.#ended(
        new Error(`The helper process ended unexpectedly (${signal ?? `exit code ${code}`}). Run the command again.`),
      ),
    );
  }

  /**
   * Takes an idle process, or starts one.
   *
   * @param program The URL of the program's file without its extension.
   */
  static take({ href: program }: URL, asker: Asker): ChildProgram {
    const [found = new ChildProgram(program)] = idle.get(program) ?? [];
    idle.get(program)?.delete(found);
    clearTimeout(found.#timer);
    found.#process.ref();
    found.#process.channel?.ref();
    found.#asker = asker;
    return found;
  }

  send(message: object): void {
    this.#process.send(message);
  }

  /** Keeps the process for the next run; only without pending requests. */
  release(): void {
    this.#asker = undefined;
    this.#process.unref();
    this.#process.channel?.unref();
    idle.set(this.#program, (idle.get(this.#program) ?? new Set()).add(this));
    this.#timer = setTimeout(() => this.kill(), IDLE_MS).unref();
  }

  /** Kills the process, even during work. */
  kill(): void {
    this.#asker = undefined;
    idle.get(this.#program)?.delete(this);
    this.#process.kill("SIGKILL");
  }

  #ended(error: Error): void {
    idle.get(this.#program)?.delete(this);
    const asker = this.#asker;
    // An error and the exit that follows it count once.
    this.#asker = undefined;
    asker?.ended(error);
  }
}
