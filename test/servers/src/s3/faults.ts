/** Something that goes wrong with requests. */
export interface Fault {
  /** The operation, for example `PutObject`; without it, any. */
  on?: string;
  /** So many requests, 1 by default. */
  times?: number;
  /** So many requests of that kind first are let through; 0 by default. */
  after?: number;
  what:
    | "reset" // the connection breaks before anything was done
    | "lose answer" // it is done, then the connection breaks
    | "hang" // no answer, for ever
    | "hang in body" // half of the body of a GET, then nothing more, for ever
    | "truncate" // half of the body of a GET, then the connection breaks
    | "corrupt" // a byte of the body of a GET is another one
    | "damage" // a byte of the request's body is another one when it arrives
    | { status: number; code: string; message: string; headers?: Record<string, string> };
  /** Called when it happens. */
  seen?: () => void;
}

/** What is to go wrong next, and what was asked for so far. */
export class Faults {
  /** Operations in the order in which they came, also those that failed. */
  readonly requests: string[] = [];
  #waiting: Fault[] = [];

  next(fault: Fault): void {
    this.#waiting.push({ ...fault });
  }

  clear(): void {
    this.#waiting = [];
    this.requests.length = 0;
  }

  /** What goes wrong with a request, if anything. */
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
