import { ValidationError } from "../errors/errors.ts";
import { describe } from "./describe.ts";

/**
 * Says what keeps a text from being an identifier on every backend, or undefined when nothing does (ruling U-text).
 * Empty text, NUL and lone surrogates are refused everywhere alike, so that data can move between backends.
 */
export function identifierFault(id: unknown): string | undefined {
  if (typeof id !== "string") return `expected text, got ${describe(id)}`;
  if (id === "") return "expected text that is not empty";
  if (id.includes("\0")) return `expected text without NUL characters, got ${describe(id)}`;
  if (!id.isWellFormed()) return `expected text without lone surrogates, got ${describe(id)}`;
  return undefined;
}

/** Throws a {@link ValidationError} that names `argument` unless `id` can be an identifier. */
export function assertIdentifier(argument: string, id: unknown): asserts id is string {
  const fault = identifierFault(id);
  if (fault !== undefined) throw new ValidationError(`${fault}. Nothing was written.`, { argument });
}
