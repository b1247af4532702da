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
interface RestError extends Error {
  /** The service's code, or that of Node.js. */
  code?: string;
  statusCode?: number;
  response?: { headers?: { get(name: string): string | undefined } };
  /** Errors of several sources of credentials. */
  errors?: RestError[];
  /** The answer of Entra ID, with its codes and its time. */
  errorResponse?: { errorCodes?: readonly number[]; timestamp?: string };
}

/** Codes of the service. */
const CODES: readonly (readonly [FailureKind, RegExp])[] = [
  ["throttled", /^(?:ServerBusy|OperationTimedOut|TooManyRequests)$/],
  ["missingContainer", /^Container(?:NotFound|BeingDeleted|Disabled)$/],
  ["locked", /^BlobImmutable|ImmutabilityPolicy|LegalHold|^LeaseIdMissing$/],
  // Azurite uses the second code.
  ["damaged", /^(?:Md5Mismatch|InvalidOperation)$/],
  // Also sent to credentials that may only create blobs, and for blocks that are gone because others were committed.
  ["exists", /^(?:BlobAlreadyExists|ConditionNotMet|UnauthorizedBlobOverwrite|InvalidBlockList)$/],
  [
    "forbidden",
    /^(?:Authorization(?:Permission|Protocol|Resource.*|Service|SourceIP)Mismatch|Insufficient.*|.*NotPermitted)$/,
  ],
  ["refused", /Authenticat|^AuthorizationFailure$/],
];

/**
 * Translates errors of the SDK.
 *
 * @param url URL of the client, with the SAS token if it has one.
 */
export function azureFailure(error: Error, url?: string): RemoteFailure {
  const { statusCode: status, response, message }: RestError = error;
  const network = networkFailure(error);
  if (network !== undefined) return network;
  const header = (name: string): string | undefined => response?.headers?.get(name);
  // An answer to HEAD has no body.
  const code = (error as RestError).code || header("x-ms-error-code") || undefined;
  if (code === "REQUEST_SEND_ERROR") return new RemoteFailure("broken", message, { code });
  // Without a status, the answer was cut off.
  if (code === "PARSE_ERROR")
    return status === undefined
      ? new RemoteFailure("truncated", "", { code })
      : new RemoteFailure("damaged", "the response is not valid XML", { code, status });
  if (status === undefined) return withoutAnswer(error, code);
  const kind = kindOf(code, status);
  const skew = kind === "refused" ? clockDifference(header("date")) : undefined;
  const outdated = (kind === "refused" || kind === "forbidden") && isOutdated(url);
  // The SDK adds lines about the request, and has a text of its own where there is no body.
  // oxlint-disable-next-line messages/no-decisions -- the words of Azure's SDK, which are shown without those lines
  const line = (message.split(/\r?\n|RequestId:/)[0] as string).trim();
  const said = answerText(status, code, line === `Unexpected status code: ${status}` ? "" : line);
  return new RemoteFailure(
    skew !== undefined ? "clock" : outdated ? "expired" : kind,
    skew === undefined ? said : `${said}; ${skew}`,
    {
      code,
      status,
      requestId: header("x-ms-request-id"),
      retryAfterMs: retryAfter(header),
      mayHaveHappened: answersForAnother(status) ? true : undefined,
    },
  );
}

function kindOf(code: string | undefined, status: number): FailureKind {
  const [kind] = CODES.find(([, pattern]) => pattern.test(code ?? "")) ?? [];
  if (kind !== undefined) return kind;
  if (status === 404) return code?.startsWith("Account") === true ? "rejected" : "missingObject";
  return status === 412 ? "exists" : kindOfStatus(status);
}

/** Errors of credentials, by their names; of several, a refused one says more than missing ones. */
function withoutAnswer(error: RestError, code: string | undefined): RemoteFailure {
  const { errors = [] } = error;
  const refused = [error, ...errors].find(({ name }) => name === "AuthenticationError");
  if (refused !== undefined) return refusedByEntra(refused, code);
  const isMissing = /Authentication|CredentialUnavailable/.test(error.name);
  return new RemoteFailure(
    isMissing ? "noCredentials" : "failed",
    answerText(undefined, code, firstLine(error.message)),
    { code },
  );
}

/** Codes of Entra ID for a secret, a certificate or a token whose time is over. */
const EXPIRED = new Set([50173, 70008, 700082, 700084, 7000222]);
/** Its code for an assertion whose time is not now. */
const NOT_NOW = 700024;

function refusedByEntra({ message, errorResponse }: RestError, code: string | undefined): RemoteFailure {
  const { errorCodes = [], timestamp } = errorResponse ?? {};
  const skew = clockDifference(timestamp);
  if (skew !== undefined || errorCodes.includes(NOT_NOW))
    return new RemoteFailure("clock", [firstLine(message), skew ?? ""].filter((text) => text !== "").join("; "), {
      code,
    });
  const isExpired = errorCodes.some((each) => EXPIRED.has(each));
  return new RemoteFailure(isExpired ? "expired" : "refused", firstLine(message), { code });
}

function firstLine(text: string): string {
  return text.split(/\r?\n/)[0] as string;
}

/** True for a SAS token that has expired, or is not yet valid. */
function isOutdated(url: string | undefined): boolean {
  const { searchParams } = new URL(url ?? "az:");
  const [begin, end] = ["st", "se"].map((name) => Date.parse(searchParams.get(name) ?? ""));
  return (begin ?? 0) > Date.now() || (end ?? Infinity) < Date.now();
}

function retryAfter(header: (name: string) => string | undefined): number | undefined {
  const milliseconds = header("x-ms-retry-after-ms") ?? header("retry-after-ms");
  if (milliseconds !== undefined && Number(milliseconds) >= 0) return Number(milliseconds);
  return retryAfterOf(header("retry-after"));
}
