import { ValidationError } from "@perdura/internals/errors/errors.js";
import type { JsonObjectInput } from "@perdura/internals/json/values.js";
import { assertLevel, assertResponseTime, assertSuccess, metadataText } from "@perdura/internals/metrics/arguments.js";
import type { CheckedInteraction } from "@perdura/internals/metrics/checked_interaction.js";
import { assertIdentifier } from "@perdura/internals/text/identifiers.js";

/** Checks the arguments of `recordMetric`. */
export function checkedMetric(
  userId: string,
  empathyLevel: number,
  success: boolean,
  responseTimeMs: number,
  metadata: JsonObjectInput | null,
): CheckedInteraction {
  assertIdentifier("userId", userId);
  if (typeof empathyLevel === "boolean") {
    throw new ValidationError(
      `expected an integer from 1 to 5, got ${String(empathyLevel)}. Before 16.0.0 it comes second: recordMetric(userId, empathyLevel, success, responseTimeMs, metadata). Nothing was written.`,
      { argument: "empathyLevel" },
    );
  }
  assertLevel("empathyLevel", empathyLevel);
  assertSuccess("success", success);
  assertResponseTime("responseTimeMs", responseTimeMs);
  return { userId, level: empathyLevel, success, responseTimeMs, metadata: metadataText(metadata) };
}
