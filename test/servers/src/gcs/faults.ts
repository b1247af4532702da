import type { IncomingMessage } from "node:http";

/** Fault of a request; one at a time. */
export type Fault =
  /** The connection is reset before the body is read. */
  | { kind: "reset" }
  /** The request is processed, and then the connection is reset instead of an answer. */
  | { kind: "lostAnswer" }
  /** This many bytes of the body are received, and then the connection is reset. */
  | { kind: "resetAfter"; bytes: number }
  /** The body is read, the request is not processed, and this is the answer. */
  | { kind: "answer"; status: number; headers?: Record<string, string>; message?: string; reason?: string }
  /** The body is read, the request is not processed, and no answer is sent. */
  | { kind: "silence" }
  /** This many bytes of the answer's body are sent; then nothing more, or the connection is reset. */
  | { kind: "cut"; bytes: number; after: "silence" | "reset" }
  /** This many bytes are missing at the end of the answer's body, and its declared length is shorter as well. */
  | { kind: "short"; bytes: number }
  /** The whole object is sent, in spite of a requested range. */
  | { kind: "wholeAnswer" }
  /** A bit of the answer's body is flipped. */
  | { kind: "corruptAnswer" }
  /** A bit of the uploaded object is flipped on arrival. */
  | { kind: "corruptUpload" }
  /** The same, without a comparison of checksums: a store that does not support them. */
  | { kind: "corruptUnseen"; losesAnswer?: boolean };

/** Selects requests; all given fields must match. */
export interface Which {
  method?: string;
  /** Matched against path and query. */
  url?: RegExp;
  contentRange?: RegExp;
}

/** Faults that tests inject. */
export class Faults {
  readonly #waiting: { fault: Fault; which: Which; left: number }[] = [];

  /** Injects a fault into the next requests of that kind. */
  next(fault: Fault, which: Which = {}, times = 1): void {
    this.#waiting.push({ fault, which, left: times });
  }

  /** True if all faults have been injected. */
  get met(): boolean {
    return this.#waiting.every(({ left }) => left === 0);
  }

  /** Removes the faults that have not been injected. */
  clear(): void {
    this.#waiting.length = 0;
  }

  /** Fault of this request. */
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
