import { ValidationError } from "@perdura/internals/errors/errors.js";
import { describe } from "@perdura/internals/text/describe.js";

/** An argument that is wrong, in a sentence: which one, what it should be, and what it is. */
export function wrongArgument(name: string, expected: string, found: unknown): ValidationError {
  return new ValidationError(`expected ${expected}, got ${describe(found)}. Nothing was changed.`, { argument: name });
}

/** What the functions for archives expect. */
export const ARCHIVE_PATH = "the path of an archive, NAME.v15.sqlar";

/** @throws ValidationError for anything but a path that the system can be asked for. */
export function assertPath(name: string, value: unknown, expected: string): asserts value is string {
  if (typeof value !== "string" || value === "" || value.includes("\0")) throw wrongArgument(name, expected, value);
}

/**
 * Refuses an options argument that is no object, or has an option that the function does not read: a misspelt `dryRun`
 * would otherwise remove what it should only show.
 *
 * @param elsewhere Says of an option that the function does not have where it belongs, if anywhere.
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

/** @throws ValidationError for what cannot be called; `undefined` stays what it is. */
export function progressFunction<Callback extends (...values: never[]) => unknown>(
  option: string,
  value: Callback | undefined,
): Callback | undefined {
  if (value === undefined || typeof value === "function") return value;
  throw wrongArgument(option, "a function", value);
}
