import { BrokenAnswer, TooSlow } from "./own_failures.ts";

/** What the SDK throws, as far as we look at it: by its shape, because an application may have another copy than ours. */
export interface RestFailure extends Error {
  /** The service's own code, or that of Node.js. */
  code?: string;
  statusCode?: number;
  response?: { bodyAsText?: string; headers?: { get(name: string): string | undefined } };
}

/** How a connection ends, or does not come to be, that may come to be the next time. */
const NETWORK = new Set([
  "EAI_AGAIN",
  "ECONNABORTED",
  "ECONNREFUSED",
  "ECONNRESET",
  "EHOSTUNREACH",
  "ENETDOWN",
  "ENETUNREACH",
  "EPIPE",
  "ETIMEDOUT",
  "REQUEST_SEND_ERROR",
]);

/** What the service says when the bytes that came are not those that were sent; Azurite says it in words. */
const CHANGED_ON_THE_WAY = /^Md5Mismatch$|contentMD5 doesn't match/;

/** True where the same request may succeed when it is sent again. */
export function mayHelp(error: Error): boolean {
  if (error instanceof TooSlow || error instanceof BrokenAnswer) return true;
  const { statusCode = 0, message } = error as RestFailure;
  const code = codeOf(error);
  if (NETWORK.has(code)) return true;
  // Answers that nobody can read were cut off or changed.
  if (code === "PARSE_ERROR" || code.startsWith("HPE_")) return true;
  if (statusCode === 400) return CHANGED_ON_THE_WAY.test(code) || CHANGED_ON_THE_WAY.test(message);
  return statusCode === 408 || statusCode === 429 || (statusCode >= 500 && statusCode !== 501 && statusCode !== 505);
}

/** The service's own code, or that of Node.js; empty where there is none. */
export function codeOf(error: unknown): string {
  const { code, response } = error as RestFailure;
  if (typeof code === "string" && code !== "") return code;
  // An answer to HEAD has no body.
  return response?.headers?.get("x-ms-error-code") ?? "";
}

/** How many milliseconds the service asks to wait. */
export function retryAfterOf(error: unknown): number | undefined {
  const headers = (error as RestFailure | undefined)?.response?.headers;
  const milliseconds = headers?.get("x-ms-retry-after-ms") ?? headers?.get("retry-after-ms");
  if (milliseconds !== undefined && Number(milliseconds) >= 0) return Number(milliseconds);
  const after = headers?.get("retry-after");
  if (after === undefined) return undefined;
  const wait = /^\d+$/.test(after) ? Number(after) * 1000 : Date.parse(after) - Date.now();
  return Number.isFinite(wait) ? Math.max(0, wait) : undefined;
}
