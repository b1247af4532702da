import { markCallerError } from "../errors/caller_errors.ts";
import { ValidationError } from "../errors/errors.ts";
import type { JsonObjectInput } from "../json/values.ts";
import { describe } from "../text/describe.ts";
import { assertIdentifier } from "../text/identifiers.ts";
import { assertLevel, assertResponseTime, assertSuccess, metadataText } from "./arguments.ts";
import type { LevelColumn } from "./schema.ts";
import type { CheckedInteraction } from "./checked_interaction.ts";

/** The fields of a batch record that both lines have, with the names of specification section 2.5. */
export interface RecordFields {
  /** Identifier of the user; not empty. */
  user_id: string;
  /** True if the interaction succeeded. */
  success: boolean;
  /** Response time in milliseconds; finite, 0 or more. */
  response_time_ms: number;
  /** Any JSON object, or null; stored exactly, in the side table `interaction_metadata`. */
  metadata?: JsonObjectInput | null | undefined;
}

/**
 * Checks the records of a batch, each when it is read.
 *
 * @param levelOf Returns the level of a record; null for the user's current level.
 * @throws ValidationError that names the record and its field.
 */
export function* checkRecords<Fields extends RecordFields>(
  records: Iterable<Fields>,
  levelColumn: LevelColumn,
  levelOf: (record: Fields, where: string) => number | null,
): Generator<CheckedInteraction, void> {
  if (
    typeof (records as Partial<Iterable<Fields>> | null)?.[Symbol.iterator] !== "function" ||
    typeof records === "string"
  ) {
    throw new ValidationError(
      `expected an array or another iterable of records, got ${describe(records)}. Nothing was written.`,
      { argument: "records" },
    );
  }
  const known = ["user_id", levelColumn, "success", "response_time_ms", "metadata"];
  let index = 0;
  try {
    for (const record of records) {
      yield checkedRecord(record, `records[${index}]`, known, levelOf);
      index += 1;
    }
  } catch (error) {
    // Reading a record, or a field of it, runs code of the caller.
    throw markCallerError(error);
  }
}

function checkedRecord<Fields extends RecordFields>(
  record: Fields,
  where: string,
  known: readonly string[],
  levelOf: (record: Fields, where: string) => number | null,
): CheckedInteraction {
  if (typeof record !== "object" || record === null) {
    throw new ValidationError(`expected an object, got ${describe(record)}. Nothing was written.`, { argument: where });
  }
  assertIdentifier(`${where}.user_id`, record.user_id);
  assertSuccess(`${where}.success`, record.success);
  assertResponseTime(`${where}.response_time_ms`, record.response_time_ms);
  const level = levelOf(record, where);
  const unknown = Object.keys(record).find((key) => !known.includes(key));
  if (unknown !== undefined) {
    throw new ValidationError(
      `unknown field ${describe(unknown)}; expected some of ${known.join(", ")}. Nothing was written.`,
      { argument: where },
    );
  }
  return {
    userId: record.user_id,
    level,
    success: record.success,
    responseTimeMs: record.response_time_ms,
    metadata: metadataText(record.metadata, `${where}.metadata`),
  };
}

/** Checks the level of a record that must have one. */
export function requiredLevel(argument: string, level: unknown): number {
  assertLevel(argument, level);
  return level;
}
