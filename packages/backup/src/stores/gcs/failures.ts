import { PerduraError, StorageError } from "@perdura/internals/errors/errors.js";
import { withoutSecrets } from "@perdura/internals/terminal/without_secrets.js";

/** What goes wrong with a request, as far as it makes a difference. */
export type FailureKind =
  | "unreachable"
  | "broken"
  | "slow"
  | "throttled"
  | "server"
  | "damaged"
  | "lostSession"
  | "changed"
  | "noBucket"
  | "noObject"
  | "noCredentials"
  | "refused"
  | "clock"
  | "locked"
  | "other";

/** These may go well another time. */
const PASSING: ReadonlySet<FailureKind> = new Set([
  "unreachable",
  "broken",
  "slow",
  "throttled",
  "server",
  "damaged",
  "lostSession",
] as const);

/** The request may have been done, although nobody said so. */
const UNSURE: ReadonlySet<FailureKind> = new Set(["broken", "slow"] as const);

/** One request that failed. It holds no secret: neither headers nor addresses of sessions nor what was sent. */
export class GcsFailure extends Error {
  readonly kind: FailureKind;
  /** How long the server wants to be left alone, in milliseconds. */
  readonly waitMs: number | undefined;
  #isFinal = false;

  /** @param message What the store or the network said. */
  constructor(kind: FailureKind, message: string, waitMs?: number, cause?: Error) {
    super(cleaned(message), cause === undefined ? undefined : { cause });
    this.name = "GcsFailure";
    this.kind = kind;
    this.waitMs = waitMs;
  }

  /** Whether another try may go well. */
  get passes(): boolean {
    return !this.#isFinal && PASSING.has(this.kind);
  }

  get unsure(): boolean {
    return UNSURE.has(this.kind);
  }

  /** There were enough tries. */
  final(): this {
    this.#isFinal = true;
    return this;
  }
}

const WORDS: Readonly<Record<FailureKind, string>> = {
  unreachable: "the server cannot be reached",
  broken: "the connection broke",
  slow: "the server was too slow",
  throttled: "the server asks for fewer requests",
  server: "the server failed",
  damaged: "bytes changed on their way",
  lostSession: "the server forgot the upload",
  changed: "the object was replaced or removed meanwhile",
  noBucket: "the bucket does not exist",
  noObject: "there is no such object",
  noCredentials: "there are no credentials",
  refused: "the credentials are refused",
  clock: "the clock of this machine is off",
  locked: "a retention policy or a hold keeps it",
  other: "the server refused",
};

/**
 * What was thrown, as an error of perdura. Errors of perdura and of the caller's own code pass unchanged.
 *
 * @param place For messages.
 * @param action What was tried: `adding KEY`.
 * @param fate What became of the data.
 */
export function storageErrorOf(error: unknown, place: string, action: string, fate: string): unknown {
  if (!(error instanceof GcsFailure) || error instanceof PerduraError) return error;
  const said = error.message.replace(/[.\s]+$/, "");
  return new StorageError(`${place}: ${action}: ${WORDS[error.kind]} (${said}). ${fate}`, {
    path: place,
    cause: error,
  });
}

/** Text of somebody else without what looks like a secret, on one line, and not for ever. */
export function cleaned(text: string): string {
  const plain = withoutSecrets(text).replace(/\s+/g, " ").trim();
  return plain.length > 400 ? `${plain.slice(0, 400)}…` : plain;
}
