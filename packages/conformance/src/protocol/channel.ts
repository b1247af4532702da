/** How an adapter broke down, as the verdict names it. */
type FaultKind = "crash" | "timeout" | "protocol-error";

/** The adapter's fault; it ends the case and the adapter is started anew. */
export class AdapterFault extends Error {
  readonly kind: FaultKind;

  constructor(kind: FaultKind, message: string) {
    super(message);
    this.kind = kind;
  }
}

/** A connection to one adapter: a line out, a line back. */
export interface Channel {
  /**
   * Sends one line and waits for the reply, both without the line feed.
   * @throws {AdapterFault} when the adapter ends, hangs or says something out of turn.
   */
  exchange(line: string, timeoutMs: number): Promise<string>;
  /** What the adapter wrote to stderr lately: shown with a fault, never judged. */
  diagnostics(): string;
  /** Ends the adapter, by force if it does not go. */
  close(): Promise<void>;
}

/** An implementation as the suite reaches it. */
export interface AdapterSource {
  /** For reports: `perdura-16`, or the command. */
  name: string;
  transport: "in-process" | "stdio";
  /** The option of the command line that names this adapter, for the repeat command of a failure. */
  option: string;
  /** Starts an adapter; each call gives another one. */
  connect(): Promise<Channel>;
}
