import type { IncomingMessage } from "node:http";

/** What goes wrong with a request. One of them at a time. */
export type Fault =
  /** The connection is reset before anything is read of the body. */
  | { kind: "reset" }
  /** All is done as it should be, and then the connection is reset in place of the answer. */
  | { kind: "lostAnswer" }
  /** So many bytes of the body are taken, and then the connection is reset. */
  | { kind: "resetAfter"; bytes: number }
  /** The body is read, nothing is done, and this is the answer. */
  | { kind: "answer"; status: number; headers?: Record<string, string>; message?: string; reason?: string }
  /** The body is read, nothing is done, and there is never an answer. */
  | { kind: "silence" }
  /** So many bytes of the answer's body are sent; then nothing, or the connection is reset. */
  | { kind: "cut"; bytes: number; after: "silence" | "reset" }
  /** So many bytes are missing at the end of the answer's body, and its length says so. */
  | { kind: "short"; bytes: number }
  /** The whole object is sent, whatever range was asked for. */
  | { kind: "wholeAnswer" }
  /** A bit of the body of the answer is another one. */
  | { kind: "corruptAnswer" }
  /** A bit of the object that is sent is another one when it arrives. */
  | { kind: "corruptUpload" }
  /** The same, and nobody compares checksums: a store that does not know them. */
  | { kind: "corruptUnseen"; losesAnswer?: boolean };

/** Which requests; all that are given must hold. */
export interface Which {
  method?: string;
  /** Tried on path and query. */
  url?: RegExp;
  contentRange?: RegExp;
}

/** Faults that tests have asked for. */
export class Faults {
  readonly #waiting: { fault: Fault; which: Which; left: number }[] = [];

  /** The next requests of that kind meet it. */
  next(fault: Fault, which: Which = {}, times = 1): void {
    this.#waiting.push({ fault, which, left: times });
  }

  /** True when none waits for a request any more. */
  get met(): boolean {
    return this.#waiting.every(({ left }) => left === 0);
  }

  /** Forgets all that nobody met. */
  clear(): void {
    this.#waiting.length = 0;
  }

  /** What goes wrong with this request. */
  take(request: Pick<IncomingMessage, "method" | "url" | "headers">): Fault | undefined {
    const found = this.#waiting.find(
      ({ which, left }) =>
        left > 0 &&
        (which.method === undefined || which.method === request.method) &&
        (which.url === undefined || which.url.test(request.url ?? "")) &&
        (which.contentRange === undefined || which.contentRange.test(String(request.headers["content-range"] ?? ""))),
    );
    if (found === undefined) return undefined;
    found.left -= 1;
    return found.fault;
  }
}
