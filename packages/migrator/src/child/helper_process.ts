import { deliverArrived } from "@perdura/cli/interrupt.js";
import { Stop } from "../stop.ts";
import type { OnBytes, Reply } from "./answer_requests.ts";
import { ChildProgram } from "./child_program.ts";

interface Waiting {
  resolve: (answer: never) => void;
  reject: (error: Error) => void;
  onBytes: OnBytes | undefined;
}

/**
 * Asks a child process, which is started with the first request. When `signal` is aborted it ends at once, in the
 * middle of whatever it does, and everything that was asked is answered with "interrupted".
 */
export class HelperProcess {
  readonly #program: string;
  readonly #signal: AbortSignal | undefined;
  readonly #waiting: Map<number, Waiting> = new Map();
  readonly #abort: () => void;
  #child: ChildProgram | undefined;
  #number = 0;

  /** @param program The name of a program beside this one, without its ending. */
  constructor(program: string, signal?: AbortSignal) {
    this.#program = program;
    this.#signal = signal;
    this.#abort = () => this.#end(new Stop("interrupted", "Interrupted; rolled back, the data is as it was."));
    signal?.addEventListener("abort", this.#abort);
  }

  ask(request: object, onBytes?: OnBytes): Promise<never> {
    const child = (this.#child ??= ChildProgram.take(this.#program, {
      answered: (reply) => this.#settle(reply),
      ended: (error) => void this.#lose(error),
    }));
    const number = (this.#number += 1);
    return new Promise((resolve, reject) => {
      this.#waiting.set(number, { resolve, reject, onBytes });
      child.send({ number, request });
    });
  }

  /** Lets the child go until the next request; what it was asked is answered with an error. */
  rest(): void {
    this.#end(new Error("The file process was ended."));
  }

  /** Lets the child go, whatever it does; it holds nothing that is worth waiting for. */
  close(): void {
    this.#signal?.removeEventListener("abort", this.#abort);
    this.rest();
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
   * Ctrl-C on a terminal goes to the whole group, and ends a child that is just starting before this process hears of it. So
   * what was asked fails only after a request to stop, which says more, had its chance.
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
