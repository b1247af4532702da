import { isOfCaller } from "@perdura/internals/errors/callers_code.js";
import { PerduraError, StorageError } from "@perdura/internals/errors/errors.js";
import { isNetwork } from "./passing.ts";
import { codeOf, lastOf, statusOf, TooSlow, Tried } from "./thrown.ts";
import { cleanCause } from "./s3_cause.ts";

/** What somebody else's code threw, on its way through our tries. */
export class CallersError extends Error {
  readonly error: unknown;

  constructor(error: unknown) {
    super("the bytes of an upload cannot be read", { cause: error });
    this.error = error;
  }
}

const REFUSED = new Set(
  "AccessDenied AllAccessDisabled AccountProblem Forbidden InvalidToken ExpiredToken InvalidAccessKeyId NotSignedUp SignatureDoesNotMatch TokenRefreshRequired UnauthorizedAccess".split(
    " ",
  ),
);
const REGION = new Set(
  "AuthorizationHeaderMalformed IllegalLocationConstraintException PermanentRedirect TemporaryRedirect".split(" "),
);
const THROTTLED = new Set(
  "RequestLimitExceeded RequestThrottled ServiceUnavailable SlowDown Throttling ThrottlingException TooManyRequests".split(
    " ",
  ),
);

/**
 * What the SDK or the network threw, as an error of perdura. Such errors, and what other code threw, pass unchanged.
 *
 * @param action What was tried, for example `adding "a/b"`.
 * @param fate What became of the data.
 */
export function failureOf(
  error: unknown,
  place: string,
  action: string,
  fate: string,
  secrets: readonly string[],
): unknown {
  const last = lastOf(error);
  if (last instanceof CallersError) return last.error;
  if (!(last instanceof Error) || last instanceof PerduraError || isOfCaller(last)) return last;
  const cause = cleanCause(last, secrets);
  const tries = error instanceof Tried && error.tries > 1 ? ` after ${error.tries} tries` : "";
  const said = `${cause.code === undefined || cause.code === "Error" || last instanceof TooSlow ? "" : `${cause.code}: `}${saidBy(last, cause.message)}`;
  return new StorageError(`${place}: ${action} failed${tries}: ${reasonOf(error)} (${said}). ${fate}`, {
    path: place,
    cause,
  });
}

/** Answers without a body leave the SDK without words; Node.js has none where it tried several addresses. */
function saidBy(error: Error & { errors?: Error[] }, message: string): string {
  if (error.errors !== undefined && message === "") return error.errors.map((each) => each.message).join("; ");
  const text = message.replace(/\.$/, "");
  const status = statusOf(error);
  if (status !== undefined && (text === "" || text === "UnknownError" || text === error.name))
    return `status ${status}`;
  return text;
}

function reasonOf(error: unknown): string {
  const code = codeOf(error) ?? "";
  const status = statusOf(error);
  if (code === "TooSlow" || code === "RequestTimeout") return "the store is too slow";
  if (code === "ENOTFOUND" || isNetwork(error)) return "the store cannot be reached";
  if (code === "NoSuchBucket") return "the bucket does not exist";
  if (code === "RequestTimeTooSkewed") return "the clock of this machine is off by more than the store allows";
  if (code === "CredentialsProviderError") return "there are no AWS credentials";
  if (REGION.has(code) || status === 301 || status === 307)
    return "the bucket is in another region, which ?region= or AWS_REGION must name";
  if (REFUSED.has(code) || status === 401 || status === 403)
    return "the store refuses these credentials, or does not let them do this";
  if (THROTTLED.has(code) || status === 429 || status === 503) return "the store is throttling";
  if (code === "WrongBody" || code === "BadDigest" || code === "XAmzContentSHA256Mismatch" || code === "IncompleteBody")
    return "the bytes did not arrive whole";
  return "the store refuses it";
}
