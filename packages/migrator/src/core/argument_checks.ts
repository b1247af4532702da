import { ValidationError } from "@perdura/internals/errors/errors.js";
import { describe } from "@perdura/internals/text/describe.js";

/** Error for a wrong argument: its name, the expected value, and the value found. */
export function wrongArgument(name: string, expected: string, found: unknown): ValidationError {
  return new ValidationError(`expected ${expected}, got ${describe(found)}. Nothing was changed.`, { argument: name });
}

/** Description of the path that the functions for archives expect. */
export const ARCHIVE_PATH = "the path of an archive, NAME.v15.sqlar";

/** @throws ValidationError for a value that is not a valid path. */
export function assertPath(name: string, value: unknown, expected: string): asserts value is string {
  if (typeof value !== "string" || value === "" || value.includes("\0")) throw wrongArgument(name, expected, value);
}

/**
 * Rejects an options argument that is not an object, or has an option that the function does not read: with a misspelt
 * `dryRun`, a function would otherwise remove files that it should only list.
 *
 * @param elsewhere Describes where an option belongs that the function does not have, if anywhere.
 */
export function assertKnown(
  caller: string,
  options: unknown,
  known: readonly string[],
  elsewhere: (option: string) => string = () => "",
): void {
  if (options === undefined) return;
  if (typeof options !== "object" || options === null || Array.isArray(options))
    throw wrongArgument("options", `an object with options of ${caller}`, options);
  const wrong = Object.entries(options).find(([key, value]) => value !== undefined && !known.includes(key))?.[0];
  if (wrong === undefined) return;
  throw new ValidationError(
    `${caller} has no option ${describe(wrong)}${elsewhere(wrong)}; expected one of ${known.join(", ")}. Nothing was changed.`,
    { argument: "options" },
  );
}

/** @throws ValidationError for a value that is not a function; `undefined` is allowed. */
export function progressFunction<Callback extends (...values: never[]) => unknown>(
  option: string,
  value: Callback | undefined,
): Callback | undefined {
  if (value === undefined || typeof value === "function") return value;
  throw wrongArgument(option, "a function", value);
}
