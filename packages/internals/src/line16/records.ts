import { ValidationError } from "../errors/errors.ts";
import type { JsonObjectInput } from "../json/values.ts";
import { assertResponseTime, assertSuccess, metadataText } from "../metrics/arguments.ts";
import { checkRecords, type RecordFields, requiredLevel } from "../metrics/check_record.ts";
import type { CheckedInteraction } from "../metrics/checked_interaction.ts";
import { describe } from "../text/describe.ts";
import { assertIdentifier } from "../text/identifiers.ts";

/** One interaction for `recordMany`, with the field names of specification section 2.5. */
export interface InteractionRecord extends RecordFields {
  /** Integer from 1 to 5. If absent: the user's current level, or 1 for a user with no interaction. */
  level?: number | undefined;
}

/** Checks the records of `recordMany`, each when it is read. */
export function checkedRecords(records: Iterable<InteractionRecord>): Iterable<CheckedInteraction> {
  return checkRecords(records, "level", levelOf);
}

function levelOf(record: InteractionRecord, where: string): number | null {
  if ("empathy_level" in record) refuseRemovedLevel(`${where} has the field "empathy_level"`);
  return record.level === undefined ? null : requiredLevel(`${where}.level`, record.level);
}

/** Checks the arguments of `recordMetric`. */
export function checkedMetric(
  userId: string,
  success: boolean,
  responseTimeMs: number,
  metadata: JsonObjectInput | null,
): CheckedInteraction {
  assertIdentifier("userId", userId);
  if (typeof success === "number") refuseRemovedLevel(`the second argument is a number, ${describe(success)}`);
  assertSuccess("success", success);
  assertResponseTime("responseTimeMs", responseTimeMs);
  return { userId, level: null, success, responseTimeMs, metadata: metadataText(metadata) };
}

/** @param found What the caller passed, as a clause. */
function refuseRemovedLevel(found: string): never {
  throw new ValidationError(
    `empathy_level was removed in 16.0.0, but ${found}. Call recordMetric(userId, success, responseTimeMs, metadata), or recordInteraction(userId, level, …) to set a level; see UPGRADING.md. Nothing was written.`,
  );
}
