/** Kind of an adapter's fault, as in verdicts. */
type FaultKind = "crash" | "timeout" | "protocol-error";

/** A fault of the adapter. It ends the case, and the adapter is restarted. */
export class AdapterFault extends Error {
  readonly kind: FaultKind;
  /**
   * The step or request at which the adapter failed. It is not part of the message, so that equal faults at different
   * steps have equal messages.
   */
  place?: string;

  constructor(kind: FaultKind, message: string) {
    super(message);
    this.kind = kind;
  }

  /** The place and the message. */
  get text(): string {
    return faultText(this.place, this.message);
  }
}

/** A fault of an adapter in words, with its place. */
export function faultText(place: string | undefined, reason: string): string {
  return place === undefined ? reason : `${place}: ${reason}`;
}

/** A connection to one adapter: one line is sent, one line is received. */
export interface Channel {
  /**
   * Sends one line and waits for the reply, both without the line feed.
   * @throws {AdapterFault} when the adapter ends, hangs or sends an unexpected line.
   */
  exchange(line: string, timeoutMs: number): Promise<string>;
  /** Recent output of the adapter to stderr: shown with a fault, never judged. */
  diagnostics(): string;
  /** Ends the adapter without a warning: it gets no request and no time to write anything. */
  kill(): Promise<void>;
  /** Ends the adapter; kills it if it does not exit. After {@link kill}, releases what the adapter still holds. */
  close(): Promise<void>;
}

/** An implementation and its transport. */
export interface AdapterSource {
  /** Name in reports: `perdura-16`, or the command. */
  name: string;
  transport: "in-process" | "stdio";
  /** Option of the command line for this adapter, for the command that repeats a failure. */
  option: string;
  /** Starts an adapter; each call starts another one. */
  connect(): Promise<Channel>;
}
