import { ValidationError } from "../errors/errors.ts";
import { describe } from "./describe.ts";

/**
 * Refuses an options argument that is not an object or has an unknown key: a misspelt option would be ignored silently
 * otherwise.
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
