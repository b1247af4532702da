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
 *
 * @param most Number of arguments that the method has.
 */
export function assertNoMore(method: string, given: ArrayLike<unknown>, most: number): void {
  if (given.length <= most) return;
  throw new ValidationError(`${method} takes no such argument, got ${describe(given[most])}.`, {
    argument: "arguments",
  });
}
