import { GcsFailure } from "./failures.ts";
import type { FailureKind } from "./failures.ts";
import type { Answer } from "./http_request.ts";

/** The longest wait that a server may ask for, in milliseconds. */
const LONGEST_WAIT = 60_000;

/** Reasons that others would be told, too: what nobody pays for. */
const NO_MATTER_WHO = /^(?:accountDisabled|billingDisabled|.*LimitExceeded)$/;

/** What must be kept for some time. */
const LOCKED = /^(?:retentionPolicyNotMet|objectUnderActiveHold)$/;

/** Whether an object of that name is there already; a policy that does not allow it says 412, too. */
export function isTaken({ status, body }: Answer): boolean {
  return status === 412 && [undefined, "conditionNotMet"].includes(saidIn(body).reason);
}

/**
 * What an answer means that is none of those that were hoped for.
 *
 * @param isAboutObject Whether a 404 without further words means that the object is missing, and not the bucket.
 */
export function failureOfAnswer(answer: Answer, isAboutObject: boolean): GcsFailure {
  const { status, body } = answer;
  const { message, reason } = saidIn(body);
  const said = [
    status,
    reason === undefined ? undefined : ` ${reason}`,
    message === undefined ? undefined : `: ${message}`,
  ];
  return new GcsFailure(kindOf(status, message ?? "", reason, isAboutObject), said.join(""), waitOf(answer));
}

function kindOf(status: number, message: string, reason: string | undefined, isAboutObject: boolean): FailureKind {
  if (status === 429 || /^(?:userR|r)ateLimitExceeded$/.test(reason ?? "")) return "throttled";
  if (LOCKED.test(reason ?? "")) return "locked";
  if (status === 401 || (status === 403 && !NO_MATTER_WHO.test(reason ?? ""))) return "refused";
  if (status === 408 || status >= 500) return status === 501 ? "other" : "server";
  if (status === 404) return isAboutObject && !/\bbucket does not exist/i.test(message) ? "noObject" : "noBucket";
  if (status === 400 && /doesn.t match calculated/i.test(message)) return "damaged";
  return "other";
}

/** Google's words for it, where the body has them. */
function saidIn(body: Buffer): { message: string | undefined; reason: string | undefined } {
  try {
    const { error } = JSON.parse(body.toString()) as { error?: { message?: unknown; errors?: { reason?: unknown }[] } };
    const reason = error?.errors?.[0]?.reason;
    return {
      message: typeof error?.message === "string" ? error.message : undefined,
      reason: typeof reason === "string" ? reason : undefined,
    };
  } catch {
    // Proxies and load balancers answer with pages of their own.
    const text = body
      .toString()
      .replace(/<[^>]*>/g, " ")
      .trim();
    return { message: text === "" ? undefined : text.slice(0, 200), reason: undefined };
  }
}

/** `Retry-After`: seconds, or a date. */
function waitOf({ headers }: Answer): number | undefined {
  const text = headers["retry-after"];
  if (text === undefined) return undefined;
  const wait = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return Number.isNaN(wait) ? undefined : Math.min(Math.max(wait, 0), LONGEST_WAIT);
}
