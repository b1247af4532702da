import { StorageError } from "@perdura/internals/errors/errors.js";
import { redactSecrets } from "@perdura/internals/terminal/redact_secrets.js";

/** Kinds of failure of a request to a remote store. The code decides by the kind, never by a message. */
export type FailureKind =
  | "unreachable"
  | "unknownHost"
  | "insecure"
  | "unusableProxy"
  | "broken"
  | "truncated"
  | "slow"
  | "throttled"
  | "unavailable"
  | "damaged"
  | "unaccepted"
  | "conflict"
  | "lostUpload"
  | "invalidAnswer"
  | "failed"
  | "changed"
  | "exists"
  | "missingObject"
  | "missingBucket"
  | "missingContainer"
  | "noCredentials"
  | "refused"
  | "forbidden"
  | "expired"
  | "clock"
  | "noRegion"
  | "otherRegion"
  | "locked"
  | "unsupported"
  | "rejected";

interface Kind {
  /** For the middle of a sentence. */
  reason: string;
  /** A sentence; absent if the reason is enough. */
  advice?: string;
  /** True if the same request may succeed later. */
  passes?: true;
  /** True if the request may have been carried out without an answer. */
  mayHaveHappened?: true;
}

const KINDS: Readonly<Record<FailureKind, Kind>> = {
  unreachable: { reason: "the server cannot be reached", advice: "Check the address and the network.", passes: true },
  unknownHost: { reason: "the host name is unknown", advice: "Check the address and the network.", passes: true },
  insecure: { reason: "no secure connection can be made", advice: "Check the address and the certificates." },
  unusableProxy: {
    reason: "the proxy that HTTPS_PROXY or HTTP_PROXY names cannot be used",
    advice: "Set it to an address like http://host:port.",
  },
  broken: { reason: "the connection broke", advice: "Retry later.", passes: true, mayHaveHappened: true },
  truncated: { reason: "the response was truncated", advice: "Retry later.", passes: true, mayHaveHappened: true },
  slow: {
    reason: "the store did not respond in time",
    advice: "Retry later, or allow more time.",
    passes: true,
    mayHaveHappened: true,
  },
  throttled: { reason: "the store is throttling requests", advice: "Retry later.", passes: true },
  unavailable: { reason: "the store failed", advice: "Retry later.", passes: true },
  damaged: { reason: "the data was damaged in transit", advice: "Retry later.", passes: true },
  unaccepted: { reason: "the store did not accept the data", advice: "Retry later.", passes: true },
  conflict: { reason: "another request is changing the same object", advice: "Retry later.", passes: true },
  lostUpload: { reason: "the store lost the upload", advice: "Retry later." },
  invalidAnswer: { reason: "the store sent an invalid response", mayHaveHappened: true },
  failed: { reason: "the request failed", mayHaveHappened: true },
  changed: { reason: "the object was replaced or removed" },
  exists: { reason: "an object with this name already exists" },
  missingObject: { reason: "the object does not exist" },
  missingBucket: { reason: "the bucket does not exist", advice: "Check the address, or create the bucket." },
  missingContainer: { reason: "the container does not exist", advice: "Check the address, or create the container." },
  noCredentials: { reason: "no usable credentials were found" },
  refused: { reason: "the credentials were refused", advice: "Check the credentials." },
  forbidden: { reason: "the credentials do not allow this", advice: "Check the permissions of the credentials." },
  expired: { reason: "the credentials are not valid at this time", advice: "Renew the credentials." },
  clock: { reason: "the clock of this machine is wrong", advice: "Set the clock." },
  noRegion: {
    reason: "the region of the bucket is unknown",
    advice: "Name it in the address (?region=eu-west-1), in AWS_REGION or in ~/.aws/config.",
  },
  otherRegion: {
    reason: "the bucket is in another region",
    advice: "Name the region in the address (?region=…) or in AWS_REGION.",
  },
  locked: { reason: "the object is locked" },
  unsupported: { reason: "the store does not support this request" },
  rejected: { reason: "the store rejected the request" },
};

/** Details of a failure. */
export interface FailureDetails {
  /** Code of the store, or of Node.js. */
  code?: string | undefined;
  /** HTTP status. */
  status?: number | undefined;
  /** Identifies the request to the operators of the store. */
  requestId?: string | undefined;
  /** Pause that the store asks for, in milliseconds. */
  retryAfterMs?: number | undefined;
  /** By default that of the kind. */
  mayHaveHappened?: boolean | undefined;
  /** True if one more try may succeed, regardless of the kind. */
  retryOnce?: boolean | undefined;
  /** Advice in place of that of the kind. */
  advice?: string | undefined;
  /** True if only sending the whole upload again may succeed. */
  restarts?: boolean | undefined;
}

/**
 * A failed request. It contains no secret: neither the request nor the answer, only the cleaned message of the store.
 * Stores translate the errors of their clients into it, and keep nothing else of them.
 */
export class RemoteFailure extends Error {
  readonly kind: FailureKind;
  readonly code: string | undefined;
  readonly status: number | undefined;
  readonly requestId: string | undefined;
  readonly retryAfterMs: number | undefined;
  readonly mayHaveHappened: boolean;
  readonly retryOnce: boolean;
  readonly restarts: boolean;
  readonly advice: string | undefined;
  /** Number of tries that ended with it. */
  tries = 1;

  /**
   * @param said Message of the store or of the network; may be empty.
   * @param secrets Credentials that no text may repeat.
   */
  constructor(kind: FailureKind, said: string, details: FailureDetails = {}, secrets: readonly string[] = []) {
    super(cleaned(said, secrets));
    const { code, status, requestId, retryAfterMs, mayHaveHappened, retryOnce = false, restarts = false } = details;
    this.advice = details.advice;
    this.name = "RemoteFailure";
    this.kind = kind;
    this.code = code === undefined ? undefined : cleaned(code, secrets);
    this.status = status;
    this.requestId = requestId;
    this.retryAfterMs = retryAfterMs;
    this.mayHaveHappened = mayHaveHappened ?? KINDS[kind].mayHaveHappened === true;
    this.retryOnce = retryOnce;
    this.restarts = restarts;
  }

  /** True if the same request may succeed later. */
  get passes(): boolean {
    return KINDS[this.kind].passes === true;
  }

  /** The same failure, for an upload that must be sent again completely. */
  restarting(): RemoteFailure {
    return new RemoteFailure(this.kind, this.message, { ...this, restarts: true });
  }
}

/**
 * Builds the error for the caller: `PLACE: cannot ACTION after 3 tries: REASON (STORE'S WORDS). FATE ADVICE`.
 *
 * @param action A verb with its object: `read agents/x.json`.
 * @param fate A sentence about the data; empty if the action changes nothing.
 * @param mayBeWritten True if the request may have been carried out; the fate then has the advice.
 */
export function storageError(
  place: string,
  action: string,
  failure: RemoteFailure,
  fate = "",
  mayBeWritten = false,
): StorageError {
  const { reason, advice = "" } = { ...KINDS[failure.kind], ...(failure.advice && { advice: failure.advice }) };
  const tries = failure.tries > 1 ? ` after ${failure.tries} tries` : "";
  const said = failure.message === "" ? "" : ` (${failure.message})`;
  const sentences = [`${reason}${said}.`, fate, mayBeWritten ? "" : advice].filter((text) => text !== "");
  return new StorageError(`cannot ${action}${tries}: ${sentences.join(" ")}`, {
    path: place,
    cause: failure,
    mayBeWritten,
  });
}

/** True for an error of a read whose object was replaced or removed. */
export function isGone(error: unknown): boolean {
  const { cause } = error as { cause?: unknown };
  return cause instanceof RemoteFailure && (cause.kind === "changed" || cause.kind === "missingObject");
}

/** Joins status, code and message of an answer: `503 SlowDown: Please reduce your request rate`. */
export function answerText(status: number | undefined, code: string | undefined, message = ""): string {
  // Proxies and load balancers answer with pages of HTML.
  // oxlint-disable-next-line messages/no-decisions -- the words of a store, which are shown without HTML
  const text = message
    .replace(/<[^>]*>/g, " ")
    .trim()
    .replace(/[.\s]+$/, "");
  const head = [status, code].filter((each) => each !== undefined && each !== "").join(" ");
  return [head, text === code ? "" : text].filter((each) => each !== "").join(": ");
}

/** Statuses from 500 on that do not pass: the server does not support the request. */
const LASTING = new Set([501, 505]);

/** The kind of an answer whose code is unknown or missing. */
export function kindOfStatus(status: number): FailureKind {
  if (status === 401) return "refused";
  if (status === 403) return "forbidden";
  if (status === 429) return "throttled";
  if (status === 408 || (status >= 500 && !LASTING.has(status))) return "unavailable";
  return LASTING.has(status) ? "unsupported" : "rejected";
}

/** True for statuses of a gateway whose server may have carried out the request; 503 means that it was not accepted. */
export function answersForAnother(status: number): boolean {
  return status >= 500 && status !== 503 && !LASTING.has(status);
}

/** Reads `Retry-After`: seconds, or a date. */
export function retryAfterOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const wait = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return Number.isNaN(wait) ? undefined : Math.max(0, wait);
}

/** All stores refuse a clock that differs by more than this. */
const MOST_SKEW_MS = 5 * 60_000;

/**
 * Distinguishes a wrong clock from wrong credentials.
 *
 * @param date `Date` of the answer that refused the credentials.
 * @returns The two times; undefined if the clock is right, or the answer has no date.
 */
export function clockDifference(date: string | undefined): string | undefined {
  const there = Date.parse(date ?? "");
  const here = Date.now();
  if (Number.isNaN(there) || Math.abs(there - here) <= MOST_SKEW_MS) return undefined;
  return `this machine has ${new Date(here).toISOString()}, the store has ${new Date(there).toISOString()}`;
}

const UNREACHABLE = new Set(
  "ECONNREFUSED EAI_AGAIN ENETUNREACH EHOSTUNREACH EHOSTDOWN ENETDOWN EADDRNOTAVAIL UND_ERR_CONNECT_TIMEOUT".split(" "),
);
const BROKEN = new Set("ECONNRESET ECONNABORTED EPIPE ETIMEDOUT ERR_STREAM_PREMATURE_CLOSE".split(" "));

/**
 * Translates errors of Node.js while it communicates with a server; undefined for an error that is not about the
 * network.
 */
export function networkFailure(error: unknown): RemoteFailure | undefined {
  if (!(error instanceof Error)) return undefined;
  const { errors, syscall } = error as Error & { errors?: unknown; syscall?: unknown };
  // Node.js tries several addresses of a host.
  const all = Array.isArray(errors) ? (errors as Error[]) : [];
  const code = [error, ...all]
    .map((each) => (each as { code?: unknown }).code)
    .find((each) => typeof each === "string");
  if (code === undefined) return undefined;
  const message = error.message === "" ? all.map((each) => each.message).join("; ") : error.message;
  // oxlint-disable-next-line messages/no-decisions -- Node.js writes its code into some of its messages; it should stand there once
  const said = message.includes(code) ? message : `${code}: ${message}`;
  if (code === "ENOTFOUND") return new RemoteFailure("unknownHost", said, { code });
  if (UNREACHABLE.has(code) || (code === "ETIMEDOUT" && syscall === "connect"))
    return new RemoteFailure("unreachable", said, { code });
  if (BROKEN.has(code) || code.startsWith("HPE_")) return new RemoteFailure("broken", code, { code });
  if (/^(?:CERT_|ERR_SSL_|ERR_TLS_|SELF_SIGNED_|DEPTH_ZERO_|UNABLE_TO_|EPROTO$)/.test(code))
    return new RemoteFailure("insecure", said, { code });
  return undefined;
}

const LONGEST = 400;

/** The message of a store on one line, without text that looks like a secret, and without a full stop. */
function cleaned(text: string, secrets: readonly string[]): string {
  const plain = redactSecrets(text, secrets)
    .replace(/\s+/g, " ")
    .trim()
    .replace(/[.\s]+$/, "");
  return plain.length > LONGEST ? `${plain.slice(0, LONGEST)}…` : plain;
}
