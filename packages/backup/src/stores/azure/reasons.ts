import { withoutSecrets } from "@perdura/internals/terminal/without_secrets.js";
import { codeOf } from "./failed_tries.ts";
import type { RestFailure } from "./failed_tries.ts";
import { BrokenAnswer, TooSlow } from "./own_failures.ts";

/** What the service says of a request whose date it does not accept. */
const CLOCK = /request date header|date header .{0,40}(?:too old|incorrect|too far)|RequestTimeTooSkewed/i;

/** What it says of a SAS token that has ended, or has not begun yet. */
const SAS_TIME = /signature not valid in the specified time frame|signed expiry time .* has to be after/i;

const THROTTLED = new Set(["ServerBusy", "OperationTimedOut", "TooManyRequests"]);

/** The credentials are those of somebody who may do other things only, or from elsewhere. */
const NOT_ALLOWED =
  /^(?:Authorization(?:Permission|Protocol|Resource.*|Service|SourceIP)Mismatch|Insufficient.*|PublicAccessNotPermitted|KeyBasedAuthenticationNotPermitted)$/;

/** Also where the status is another one. */
const REFUSED = /Authenticat|NotPermitted$/;

/** A clock that is off by so many milliseconds is refused by the service. */
const OFF = 15 * 60 * 1000;

/** Why a request failed, in words that begin in the middle of a sentence and end without a full stop. */
export function reasonOf(error: Error): string {
  if (error instanceof TooSlow) return `the store is too slow or not there: ${error.message}`;
  if (error instanceof BrokenAnswer) return error.message;
  const failure: RestFailure = error;
  const said = withoutSecrets(whatItSaid(failure));
  if (codeOf(failure) === "PARSE_ERROR") return `the answer cannot be understood: ${said}`;
  if (/Authentication|CredentialUnavailable/.test(failure.name)) return `the credentials were refused (${said})`;
  if (failure.statusCode === undefined) return unanswered(failure, said);
  return refusal(failure, failure.statusCode, `${failure.statusCode} ${said}`);
}

function refusal(failure: RestFailure, status: number, said: string): string {
  const code = codeOf(failure);
  if (code === "ContainerNotFound") return `the container does not exist (${said})`;
  if (code === "ContainerBeingDeleted") return `the container is being deleted (${said})`;
  if (status === 401 || status === 403 || REFUSED.test(code)) return forbidden(failure, said);
  if (status === 429 || THROTTLED.has(code)) return `the store is throttling requests (${said})`;
  return `the store answered ${said}`;
}

function forbidden(failure: RestFailure, said: string): string {
  const text = `${failure.message} ${failure.response?.bodyAsText ?? ""}`;
  const now = Date.parse(failure.response?.headers?.get("date") ?? "");
  const off = Math.abs(now - Date.now()) > OFF;
  if (CLOCK.test(text) || off)
    return `the clock of this machine is off: it says ${new Date().toISOString()}${Number.isNaN(now) ? "" : `, the store ${new Date(now).toISOString()}`} (${said})`;
  if (SAS_TIME.test(text)) return `the SAS token is not valid at this time (${said})`;
  if (NOT_ALLOWED.test(codeOf(failure))) return `the credentials do not allow this (${said})`;
  return `the credentials were refused (${said})`;
}

function unanswered(failure: RestFailure, said: string): string {
  const code = codeOf(failure);
  if (code === "ENOTFOUND") return `the host does not exist; is the account's name right? (${said})`;
  if (/^(?:E[A-Z_]+|REQUEST_SEND_ERROR|HPE_\w+)$/.test(code))
    return `the server cannot be reached, or the connection broke (${said})`;
  return said;
}

/** Code and message, without the lines about the request that follow. */
export function whatItSaid(failure: RestFailure): string {
  const code = codeOf(failure);
  const line = (failure.message.split(/\r?\n|RequestId:/)[0] as string).trim();
  if (line.includes(code)) return line;
  return line === "" ? code : `${code}: ${line}`;
}
