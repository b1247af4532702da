import { codeOf, statusOf } from "./thrown.ts";
import type { Thrown } from "./thrown.ts";

const NETWORK = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "ECONNABORTED",
  "EPIPE",
  "ETIMEDOUT",
  "ENETUNREACH",
  "EHOSTUNREACH",
  "EAI_AGAIN",
  "TimeoutError",
  "TooSlow",
]);

/** Also bodies that were damaged on their way, and others who changed the same key. */
const PASSING = new Set(
  (
    "SlowDown Throttling ThrottlingException RequestThrottled TooManyRequests RequestLimitExceeded InternalError " +
    "ServiceUnavailable RequestTimeout WrongBody BadDigest XAmzContentSHA256Mismatch IncompleteBody " +
    "ConditionalRequestConflict OperationAborted"
  ).split(" "),
);

export function isNetwork(error: unknown): boolean {
  return NETWORK.has(codeOf(error) ?? "");
}

/** Whether the same request may succeed at another time. */
export function mayPass(error: unknown): boolean {
  const status = statusOf(error);
  if (isNetwork(error) || PASSING.has(codeOf(error) ?? "")) return true;
  if (String((error as Thrown).message).startsWith("Checksum mismatch")) return true;
  return status === 429 || status === 408 || (status !== undefined && status >= 500 && status !== 501);
}

/** Whether the SDK has learnt another time from an answer than this machine has, and signs with that from now on. */
export function isClockCorrected(error: unknown): boolean {
  return (error as Thrown).$metadata?.clockSkewCorrected === true;
}

/** Whether a request may have been done, though it failed. */
export function mayHaveBeenDone(error: unknown): boolean {
  const code = codeOf(error) ?? "";
  if (NETWORK.has(code)) return !["ECONNREFUSED", "ENETUNREACH", "EHOSTUNREACH", "EAI_AGAIN"].includes(code);
  return (statusOf(error) ?? 0) >= 500 && !["SlowDown", "NotImplemented"].includes(code);
}

/** Milliseconds that the store asks to wait for. */
export function retryAfterOf(error: unknown): number | undefined {
  const text = (error as Thrown).$response?.headers?.["retry-after"] ?? "";
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  const time = Date.parse(text);
  return Number.isNaN(time) ? undefined : Math.max(0, time - Date.now());
}
