import { ValidationError } from "../errors/errors.ts";
import { describe } from "./describe.ts";

/**
 * The fault of a text that cannot be an identifier on every backend; undefined for a valid one (ruling U-text). Empty
 * text, NUL and lone surrogates are rejected on all backends, so that data can be moved between them.
 */
export function identifierFault(id: unknown): string | undefined {
  if (typeof id !== "string") return `expected text, got ${describe(id)}`;
  if (id === "") return "expected text that is not empty";
  if (id.includes("\0")) return `expected text without NUL characters, got ${describe(id)}`;
  if (!id.isWellFormed()) return `expected text without lone surrogates, got ${describe(id)}`;
  return undefined;
}

/**
 * Throws a {@link ValidationError} that names `argument` if `id` is not text. Reading takes every text: older programs
 * stored ids that perdura does not write, and each listed id can be asked for (ruling U-reading).
 */
export function assertText(argument: string, id: unknown): asserts id is string {
  if (typeof id !== "string") throw new ValidationError(`expected text, got ${describe(id)}.`, { argument });
}

/** Throws a {@link ValidationError} that names `argument` if `id` is not a valid identifier. */
export function assertIdentifier(argument: string, id: unknown): asserts id is string {
  const fault = identifierFault(id);
  if (fault !== undefined) throw new ValidationError(`${fault}. Nothing was written.`, { argument });
}
