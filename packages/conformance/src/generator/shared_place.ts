import type { CallStep, Step } from "../corpus/case.ts";
import type { JsonObject } from "../values/json_value.ts";

/** Calls on up to two objects of one database or directory, which are opened when they are needed. */
export class SharedPlace {
  readonly #steps: Step[];
  readonly #opening: Pick<CallStep, "call" | "args">;
  /** Handles of the open objects. */
  #open: string[] = [];

  constructor(steps: Step[], opening: Pick<CallStep, "call" | "args">) {
    this.#steps = steps;
    this.#opening = opening;
  }

  /** Adds a call to the steps; the second object is opened only next to another one. */
  call(second: boolean, call: string, args: JsonObject, more: Pick<CallStep, "expect" | "times"> = {}): void {
    const handle = second && this.#open.length > 0 ? "second" : "first";
    if (!this.#open.includes(handle)) {
      this.#open.push(handle);
      this.#steps.push({ ...this.#opening, keep: handle, ...this.#mayFail() });
    }
    this.#steps.push({ call, handle, args, ...more, ...this.#mayFail() });
  }

  /** Adds a step after which no object is open. */
  close(step: Step): void {
    this.#steps.push(step);
    this.#open = [];
  }

  /** Ends the adapter, if the last step was a call. */
  kill(): void {
    if ("call" in (this.#steps.at(-1) ?? {})) this.close({ kill: true });
  }

  /** While another object is open, an implementation may refuse a call, but not answer it wrongly. */
  #mayFail(): { may_fail?: true } {
    return this.#open.length > 1 ? { may_fail: true } : {};
  }
}
