import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { Stop } from "../stop.ts";
import type { OnBytes, Reply } from "./answer_requests.ts";

interface Waiting {
  resolve: (answer: never) => void;
  reject: (error: Error) => void;
  onBytes: OnBytes | undefined;
}

/**
 * A child process that answers requests, started with the first one. When `signal` is aborted it ends at once, in the
 * middle of whatever it does, and everything that was asked is answered with "interrupted".
 */
export class HelperProcess {
  readonly #program: string;
  readonly #signal: AbortSignal | undefined;
  readonly #waiting: Map<number, Waiting> = new Map();
  readonly #abort: () => void;
  #child: ChildProcess | undefined;
  #number = 0;

  /** @param program The name of a program beside this one, without its ending. */
  constructor(program: string, signal?: AbortSignal) {
    this.#program = program;
    this.#signal = signal;
    this.#abort = () => this.#end(new Stop("interrupted", "Interrupted; rolled back, the data is as it was."));
    signal?.addEventListener("abort", this.#abort);
  }

  ask(request: object, onBytes?: OnBytes): Promise<never> {
    const child = (this.#child ??= this.#start());
    const number = (this.#number += 1);
    return new Promise((resolve, reject) => {
      this.#waiting.set(number, { resolve, reject, onBytes });
      child.send({ number, request });
    });
  }

  /** Ends the child until the next request. */
  rest(): void {
    this.#end(new Error("The file process was ended."));
  }

  /** Ends the child, whatever it does; it holds nothing that is worth waiting for. */
  close(): void {
    this.#signal?.removeEventListener("abort", this.#abort);
    this.rest();
  }

  #start(): ChildProcess {
    // From the sources it is a .ts file beside this one, in the published package a .js file.
    const ending = import.meta.url.endsWith(".ts") ? ".ts" : ".js";
    const program = fileURLToPath(new URL(`./${this.#program}${ending}`, import.meta.url));
    const child = fork(program, [], {
      serialization: "advanced",
      execArgv: ending === ".ts" ? ["--conditions=@perdura/source"] : [],
      stdio: ["ignore", "ignore", "inherit", "ipc"],
    });
    child.on("message", (reply: Reply) => this.#settle(reply));
    child.on("error", (error) => this.#failAll(child, error));
    child.on("exit", (code, signal) =>
      this.#failAll(child, new Error(`The file process ended (${signal ?? `exit ${code}`}).`)),
    );
    return child;
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
    const child = this.#child;
    if (child === undefined) return;
    child.kill("SIGKILL");
    this.#failAll(child, reason);
  }

  #failAll(child: ChildProcess, error: Error): void {
    if (child !== this.#child) return;
    this.#child = undefined;
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}
