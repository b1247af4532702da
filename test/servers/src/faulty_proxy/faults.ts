import type { IncomingMessage } from "node:http";

/** What goes wrong with one request. */
export type Fault =
  /** The connection is reset before the server hears of the request, or when it has answered, whose answer is lost. */
  | { reset: "before" | "after" }
  /** An answer that the server has never given; it does not hear of the request. */
  | { answer: { status: number; headers?: Record<string, string>; body?: string } }
  /** Nothing more comes: the server does not hear of the request, or the client sees half of the answer's body only. */
  | { hang: "before" | "body" }
  /** The answer's body ends after so many bytes, with the connection. */
  | { truncate: number }
  /** One bit of a body is turned: of the byte at this place, by default in the middle of the first piece. */
  | { flip: "request" | "answer"; at?: number };

/** Which requests. What is absent matches all. */
export interface Match {
  method?: string;
  /** Found in the path with the query. */
  url?: RegExp;
  /** So many that match are not harmed by this fault before. */
  after?: number;
}

interface Rule {
  match: Match;
  fault: Fault;
  spared: number;
  left: number;
}

/** What a proxy has been told to do wrong. */
export class Faults {
  readonly #rules: Rule[] = [];

  /** The next requests, whichever they are. */
  next(fault: Fault, times = 1): void {
    this.when({}, fault, times);
  }

  /** The next requests that match. Of several rules that match, the one that was given first goes first. */
  when(match: Match, fault: Fault, times = 1): void {
    this.#rules.push({ match, fault, spared: match.after ?? 0, left: times });
  }

  /** How many faults have not happened yet. */
  get left(): number {
    return this.#rules.reduce((sum, { left }) => sum + left, 0);
  }

  /** Forgets the faults that have not happened yet. */
  clear(): void {
    this.#rules.length = 0;
  }

  /** The fault of this request, which counts as happened. */
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
