import type { IncomingMessage } from "node:http";

/** Fault of one request. */
export type Fault =
  /** The connection is reset before the server receives the request, or after it has answered; that answer is lost. */
  | { reset: "before" | "after" }
  /** An answer that the server did not give; it does not receive the request. */
  | { answer: { status: number; headers?: Record<string, string>; body?: string } }
  /**
   * No more data is sent: the server does not receive the request, or the client receives only half of the answer's
   * body.
   */
  | { hang: "before" | "body" }
  /** The answer's body ends after this many bytes, with the connection. */
  | { truncate: number }
  /** One bit of a body is flipped, in the byte at this offset; by default in the middle of the first chunk. */
  | { flip: "request" | "answer"; at?: number };

/** Selects requests. Absent fields match all. */
export interface Match {
  method?: string;
  /** Found in the path with the query. */
  url?: RegExp;
  /** Number of matching requests that are forwarded before the fault. */
  after?: number;
}

interface Rule {
  match: Match;
  fault: Fault;
  spared: number;
  left: number;
}

/** Faults that a proxy injects. */
export class Faults {
  readonly #rules: Rule[] = [];

  /** Injects a fault into the next requests of any kind. */
  next(fault: Fault, times = 1): void {
    this.when({}, fault, times);
  }

  /** Injects a fault into the next requests that match. If several rules match, the earliest one applies. */
  when(match: Match, fault: Fault, times = 1): void {
    this.#rules.push({ match, fault, spared: match.after ?? 0, left: times });
  }

  /** Number of faults that have not been injected yet. */
  get left(): number {
    return this.#rules.reduce((sum, { left }) => sum + left, 0);
  }

  /** Removes the faults that have not been injected yet. */
  clear(): void {
    this.#rules.length = 0;
  }

  /** The fault of this request, which then counts as injected. */
  take(request: IncomingMessage): Fault | undefined {
    for (const rule of this.#rules.filter(({ match, left }) => left > 0 && matches(match, request))) {
      if (rule.spared === 0) {
        rule.left -= 1;
        return rule.fault;
      }
      rule.spared -= 1;
    }
    return undefined;
  }
}

function matches({ method, url }: Match, request: IncomingMessage): boolean {
  if (method !== undefined && request.method !== method) return false;
  return url === undefined || url.test(request.url ?? "");
}
