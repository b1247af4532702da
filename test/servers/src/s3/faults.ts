/** A fault of requests. */
export interface Fault {
  /** The operation, for example `PutObject`; any if absent. */
  on?: string;
  /** Number of requests, 1 by default. */
  times?: number;
  /** Number of matching requests that are processed normally first; 0 by default. */
  after?: number;
  what:
    | "reset" // the connection breaks before the request is processed
    | "lose answer" // the request is processed, then the connection breaks
    | "hang" // no answer is ever sent
    | "hang in body" // half of the body of a GET is sent, then nothing more
    | "truncate" // half of the body of a GET is sent, then the connection breaks
    | "corrupt" // a byte of the body of a GET is changed
    | "damage" // a byte of the request's body is changed on arrival
    | { status: number; code: string; message: string; headers?: Record<string, string> };
  /** Called when the fault is injected. */
  seen?: () => void;
}

/** Pending faults, and the requests so far. */
export class Faults {
  /** Operations in the order of their arrival, including failed ones. */
  readonly requests: string[] = [];
  #waiting: Fault[] = [];

  next(fault: Fault): void {
    this.#waiting.push({ ...fault });
  }

  clear(): void {
    this.#waiting = [];
    this.requests.length = 0;
  }

  /** Fault of a request, if there is one. */
  take(operation: string): Fault["what"] | undefined {
    this.requests.push(operation);
    const fault = this.#waiting.find(({ on, times = 1 }) => (on ?? operation) === operation && times > 0);
    if (fault === undefined) return undefined;
    if ((fault.after ?? 0) > 0) {
      fault.after = (fault.after ?? 0) - 1;
      return undefined;
    }
    fault.times = (fault.times ?? 1) - 1;
    fault.seen?.();
    return fault.what;
  }
}
