import { ValidationError } from "../errors/errors.ts";
import { describe } from "./describe.ts";

/**
 * Rejects options that are not an object or have an unknown key. Otherwise a misspelt option would be silently ignored.
 */
export function assertOptions(argument: string, options: unknown, known: readonly string[]): void {
  if (options === undefined) return;
  if (typeof options !== "object" || options === null || Array.isArray(options)) {
    throw new ValidationError(`expected an object, got ${describe(options)}.`, { argument });
  }
  const unknown = Object.keys(options).find((key) => !known.includes(key));
  if (unknown === undefined) return;
  throw new ValidationError(`unknown option ${describe(unknown)}; expected one of ${known.join(", ")}.`, { argument });
}

/**
 * Rejects arguments that a method does not have. A limit such as `{ since }` that is silently ignored would give the
 * answer to another question.
 */
export function assertNoMore(method: string, surplus: readonly unknown[]): void {
  if (surplus.length === 0) return;
  throw new ValidationError(`${method} takes no such argument, got ${describe(surplus[0])}.`, {
    argument: "arguments",
  });
}
