import { assertIdentifier } from "../text/identifiers.ts";
import { assertLevel, assertResponseTime, assertSuccess } from "./arguments.ts";

/**
 * One interaction whose values have been checked. A `level` of null means the user's current level, or 1 for a user
 * with no interaction.
 */
export interface CheckedInteraction {
  userId: string;
  level: number | null;
  success: boolean;
  responseTimeMs: number;
  metadata: string | null;
}

/** Checks the arguments of `recordInteraction`, which are the same in both lines. */
export function checkedInteraction(
  userId: string,
  level: number,
  success: boolean,
  responseTimeMs: number,
): CheckedInteraction {
  assertIdentifier("userId", userId);
  assertLevel("level", level);
  assertSuccess("success", success);
  assertResponseTime("responseTimeMs", responseTimeMs);
  return { userId, level, success, responseTimeMs, metadata: null };
}
