import { GcsFailure } from "./failures.ts";
import type { FailureKind } from "./failures.ts";

/** Nobody heard the request. */
const UNREACHABLE = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "ENETUNREACH",
  "EHOSTUNREACH",
  "EHOSTDOWN",
  "ENETDOWN",
  "EADDRNOTAVAIL",
]);

const BROKEN = new Set(["ECONNRESET", "ECONNABORTED", "EPIPE", "ETIMEDOUT", "ERR_STREAM_PREMATURE_CLOSE"]);

/** What Node.js threw while it talked to a server; undefined where that was no failure of the network. */
export function networkFailure(error: unknown): GcsFailure | undefined {
  const { code, message, errors, syscall } = (error ?? {}) as NodeJS.ErrnoException & { errors?: Error[] };
  if (!(error instanceof Error) || typeof code !== "string") return undefined;
  // Several addresses of a host were tried, and then there is no message.
  const said = message === "" && errors !== undefined ? errors.map((each) => each.message).join("; ") : message;
  let kind: FailureKind | undefined;
  if (UNREACHABLE.has(code) || (code === "ETIMEDOUT" && syscall === "connect")) kind = "unreachable";
  else if (BROKEN.has(code) || code.startsWith("HPE_")) kind = "broken";
  else if (/^(?:CERT_|ERR_SSL_|ERR_TLS_|SELF_SIGNED_|DEPTH_ZERO_|UNABLE_TO_)/.test(code)) kind = "other";
  if (kind === undefined) return undefined;
  return new GcsFailure(kind, said.includes(code) ? said : `${code}: ${said}`);
}
