import { ValidationError } from "@perdura/internals/errors/errors.js";
import type { JsonObject } from "@perdura/internals/json/values.js";
import { assertResponseTime, assertSuccess, metadataText } from "@perdura/internals/metrics/arguments.js";
import type { CheckedInteraction } from "@perdura/internals/metrics/checked_interaction.js";
import { describe } from "@perdura/internals/text/describe.js";
import { assertIdentifier } from "@perdura/internals/text/identifiers.js";

/** Checks the arguments of `recordMetric`. */
export function checkedMetric(
  userId: string,
  success: boolean,
  responseTimeMs: number,
  metadata: JsonObject | null,
): CheckedInteraction {
  assertIdentifier("userId", userId);
  if (typeof success === "number") refuseRemovedLevel(`the second argument is the number ${describe(success)}`);
  assertSuccess("success", success);
  assertResponseTime("responseTimeMs", responseTimeMs);
  return { userId, level: null, success, responseTimeMs, metadata: metadataText(metadata) };
}

/** @param found What the caller gave, as a clause. */
export function refuseRemovedLevel(found: string): never {
  throw new ValidationError(
    `empathy_level was removed in 16.0.0, but ${found}. Call recordMetric(userId, success, responseTimeMs, metadata), or recordInteraction(userId, level, …) to set a level; see UPGRADING.md. Nothing was written.`,
  );
}
