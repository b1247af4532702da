import type { IncomingHttpHeaders } from "node:http";
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

/** A complete answer. */
export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** Google's reasons. An account with unpaid bills is refused with any credentials. */
const REASONS: readonly (readonly [FailureKind, RegExp])[] = [
  ["throttled", /^(?:userR|r)ateLimitExceeded$/],
  ["locked", /^(?:retentionPolicyNotMet|objectUnderActiveHold)$/],
  ["rejected", /^(?:accountDisabled|billingDisabled|.*LimitExceeded)$/],
];

/**
 * Translates an unexpected answer.
 *
 * @param carriesBytes True if the request had bytes with their checksum. Google reports a mismatch in the same way as
 * an invalid request: only with bytes may the same request succeed.
 */
export function gcsFailure(answer: Answer, carriesBytes: boolean): RemoteFailure {
  const { status, headers } = answer;
  const { message, code } = contentOf(answer.body);
  const isInvalid = status === 400 && code === "invalid" && carriesBytes;
  const kind = isInvalid ? "unaccepted" : kindOf(status, code);
  const skew = kind === "refused" ? clockDifference(headers.date) : undefined;
  const said = answerText(status, code, message);
  return new RemoteFailure(skew === undefined ? kind : "clock", skew === undefined ? said : `${said}; ${skew}`, {
    code,
    status,
    retryAfterMs: retryAfterOf(headers["retry-after"]),
    mayHaveHappened: answersForAnother(status) ? true : undefined,
  });
}

function kindOf(status: number, code: string | undefined): FailureKind {
  const [kind] = status < 500 ? (REASONS.find(([, pattern]) => pattern.test(code ?? "")) ?? []) : [];
  if (kind !== undefined) return kind;
  // A policy that does not allow an object also has status 412.
  if (status === 412 && (code === undefined || code === "conditionNotMet")) return "exists";
  return status === 404 ? "missingObject" : kindOfStatus(status);
}

/** Google's message and its code, which Google calls a reason, if the body has them. */
function contentOf(body: Buffer): { message: string; code: string | undefined } {
  const text = body.toString();
  try {
    const { error } = JSON.parse(text) as { error?: { message?: unknown; errors?: { reason?: unknown }[] } };
    const code = error?.errors?.[0]?.reason;
    return {
      message: typeof error?.message === "string" ? error.message : "",
      code: typeof code === "string" ? code : undefined,
    };
  } catch {
    // Proxies and load balancers answer with pages of their own.
    return { message: text, code: undefined };
  }
}

interface TokenError extends Error {
  status?: unknown;
  response?: { status?: unknown; data?: unknown; headers?: unknown };
}

/**
 * Translates errors of google-auth-library from a request for an access token. They contain the whole request with the
 * signed assertion, which is not kept. Nothing was sent to the store yet, whatever failed.
 */
export function tokenFailure(error: Error): RemoteFailure {
  const { message, status, response }: TokenError = error;
  const { error: code, error_description: description } = (response?.data ?? {}) as Record<string, unknown>;
  const said = typeof code === "string" ? answerText(undefined, code, String(description ?? "")) : message;
  const answered = Number(response?.status ?? status);
  if (answered === 429 || answered >= 500)
    return new RemoteFailure("unavailable", `no access token: ${answered} ${said}`, { status: answered });
  if (answered >= 400) {
    // A plain object in older versions.
    const date = new Headers((response?.headers ?? {}) as Record<string, string>).get("date") ?? undefined;
    const skew = clockDifference(date);
    const kind = skew === undefined ? "refused" : "clock";
    return new RemoteFailure(kind, skew === undefined ? said : `${said}; ${skew}`, { status: answered });
  }
  const network = networkFailure(error) ?? networkFailure(error.cause);
  if (network !== undefined) {
    const kind = network.kind === "broken" ? "unreachable" : network.kind;
    return new RemoteFailure(kind, `no access token: ${network.message}`, { code: network.code });
  }
  // A parser's message shows a part of the answer.
  const unusable = error instanceof SyntaxError ? "the response to the request for an access token is not JSON" : said;
  return new RemoteFailure("noCredentials", unusable);
}
