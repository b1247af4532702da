import { codeOf } from "./failed_tries.ts";
import type { RestFailure } from "./failed_tries.ts";

/** Whether a request of ours that seemed to fail may have done what it was to do. */
export interface Doubt {
  mayBeDone: boolean;
}

/** How a connection does not come to be: nothing can have been sent. */
const NEVER_SENT = new Set(["EAI_AGAIN", "ECONNREFUSED", "EHOSTUNREACH", "ENETUNREACH", "ENOTFOUND"]);

/** Sends a request that changes something, and notes where its failure does not say that nothing was changed. */
export async function noting<Result>(doubt: Doubt, request: () => Promise<Result>): Promise<Result> {
  try {
    return await request();
  } catch (error) {
    if (!saysNo(error)) doubt.mayBeDone = true;
    throw error;
  }
}

function saysNo(error: unknown): boolean {
  const { statusCode } = error as RestFailure;
  // A gateway answers with 500, 502 and 504 for a server that may have done what it was asked for.
  if (statusCode !== undefined) return statusCode === 503 || (statusCode >= 400 && statusCode < 500);
  return NEVER_SENT.has(codeOf(error));
}
