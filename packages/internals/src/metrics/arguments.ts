import { ValidationError } from "../errors/errors.ts";
import { type JsonObjectInput, isPlainObject } from "../json/values.ts";
import { jsonObjectText } from "../json/object_text.ts";
import { describe } from "../text/describe.ts";

/** The lowest and the highest level (specification, section 2.5). */
export const LEVELS = [1, 2, 3, 4, 5] as const;

/** Checks the arguments of record calls (ruling U-range). Each error names its argument; nothing is written. */
export function assertLevel(argument: string, level: unknown): asserts level is number {
  if (!Number.isInteger(level) || (level as number) < 1 || (level as number) > 5) {
    refuse(argument, "an integer from 1 to 5", level);
  }
}

export function assertSuccess(argument: string, success: unknown): asserts success is boolean {
  if (typeof success !== "boolean") refuse(argument, "a boolean", success);
}

export function assertResponseTime(argument: string, milliseconds: unknown): asserts milliseconds is number {
  if (typeof milliseconds !== "number" || !Number.isFinite(milliseconds) || milliseconds < 0) {
    refuse(argument, "a finite number of milliseconds, 0 or more", milliseconds);
  }
}

/** The text to store for `metadata`; null for absent metadata. */
export function metadataText(
  metadata: JsonObjectInput | null | undefined,
  argument: string = "metadata",
): string | null {
  if (metadata === null || metadata === undefined) return null;
  if (!isPlainObject(metadata)) refuse(argument, "an object or null", metadata);
  return jsonObjectText(metadata, argument);
}

function refuse(argument: string, expected: string, value: unknown): never {
  throw new ValidationError(`expected ${expected}, got ${describe(value)}. Nothing was written.`, { argument });
}
