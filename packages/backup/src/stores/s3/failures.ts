import {
  answersForAnother,
  answerText,
  clockDifference,
  kindOfStatus,
  networkFailure,
  RemoteFailure,
  retryAfterOf,
} from "../remote/failures.ts";
import type { FailureKind } from "../remote/failures.ts";

/** An error of the SDK, detected by its properties: an application may have another copy of the SDK. */
interface SdkError extends Error {
  code?: unknown;
  $metadata?: { httpStatusCode?: number; requestId?: string; clockSkewCorrected?: boolean };
  $response?: { headers?: Record<string, string> };
}

/** Codes of S3 and compatible stores. */
const CODES: readonly (readonly [FailureKind, string])[] = [
  ["throttled", "SlowDown Throttling ThrottlingException RequestThrottled TooManyRequests RequestLimitExceeded"],
  ["unavailable", "InternalError ServiceUnavailable RequestTimeout"],
  ["damaged", "BadDigest XAmzContentSHA256Mismatch IncompleteBody"],
  ["conflict", "ConditionalRequestConflict OperationAborted"],
  ["missingBucket", "NoSuchBucket"],
  ["missingObject", "NoSuchKey"],
  ["lostUpload", "NoSuchUpload"],
  ["clock", "RequestTimeTooSkewed"],
  ["expired", "ExpiredToken TokenRefreshRequired"],
  ["refused", "InvalidAccessKeyId InvalidToken SignatureDoesNotMatch"],
  ["forbidden", "AccessDenied AllAccessDisabled AccountProblem Forbidden NotSignedUp UnauthorizedAccess"],
  [
    "otherRegion",
    "AuthorizationHeaderMalformed IllegalLocationConstraintException PermanentRedirect TemporaryRedirect",
  ],
  ["unsupported", "NotImplemented"],
  ["noCredentials", "CredentialsProviderError"],
];
const KIND_OF_CODE = new Map(CODES.flatMap(([kind, codes]) => codes.split(" ").map((code) => [code, kind] as const)));

/** Kinds of answers that are determined by their status alone. */
const KIND_OF_STATUS = new Map<number, FailureKind>([
  [301, "otherRegion"],
  [307, "otherRegion"],
  [404, "missingObject"],
  [412, "exists"],
  [423, "locked"],
]);

/** Names that the SDK gives to unknown errors. */
const NAMELESS = /^(?:Unknown(?:Error)?|Error|\d+)$/;

/**
 * Translates errors of the SDK.
 *
 * @param secrets Credentials that no text may repeat.
 * @param wasCutOff True if the answer had begun.
 */
export function s3Failure(error: Error, secrets: readonly string[], wasCutOff: boolean): RemoteFailure {
  const { $metadata: { httpStatusCode: status, requestId, clockSkewCorrected } = {}, $response }: SdkError = error;
  const network = networkFailure(error);
  if (network?.kind === "broken" && wasCutOff) return new RemoteFailure("truncated", "", network);
  if (network !== undefined) return network;
  if (error.name === "TimeoutError") return new RemoteFailure("slow", error.message, {}, secrets);
  const named = (error as SdkError).code ?? error.name;
  const code = typeof named === "string" && !NAMELESS.test(named) ? named : undefined;
  const kind = kindOf(code, status);
  // oxlint-disable-next-line messages/no-decisions -- the name of an error, which Amazon's SDK repeats where it has no words
  const message = NAMELESS.test(error.message) ? "" : error.message;
  const skew = kind === "clock" ? clockDifference($response?.headers?.["date"]) : undefined;
  const said = answerText(status, code, message) + (skew === undefined ? "" : `; ${skew}`);
  const details = {
    code,
    status,
    requestId,
    retryAfterMs: retryAfterOf($response?.headers?.["retry-after"]),
    mayHaveHappened: status !== undefined && answersForAnother(status) ? true : undefined,
    // The SDK has corrected its clock by the answer, and signs with the new time from now on.
    retryOnce: clockSkewCorrected === true,
  };
  return new RemoteFailure(kind, said, details, secrets);
}

function kindOf(code: string | undefined, status: number | undefined): FailureKind {
  const kind = KIND_OF_CODE.get(code ?? "");
  if (kind !== undefined) return kind;
  if (code?.startsWith("ObjectLocked") === true) return "locked";
  if (status === undefined) return "failed";
  if (status < 300) return "invalidAnswer";
  return KIND_OF_STATUS.get(status) ?? kindOfStatus(status);
}

/**
 * True for a lock on an object. S3 and compatible stores have no code for it: Amazon answers AccessDenied, as to every
 * refusal, and others InvalidRequest. A query would need a separate permission, and is not answered by a store that
 * locks a whole bucket, so only the message distinguishes a lock from a refusal.
 */
export function isLock({ kind, status = 0, message }: RemoteFailure): boolean {
  if (kind === "locked") return true;
  const isRefusal = [400, 403, 405, 409].includes(status);
  // oxlint-disable-next-line messages/no-decisions -- the words of a store, for which there is no code
  return isRefusal && /object.?lock|\bworm\b|retention|retain until|legal.?hold|immutab/i.test(message);
}
