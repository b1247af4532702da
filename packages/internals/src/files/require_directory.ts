import { statSync } from "node:fs";
import { dirname } from "node:path";
import { FileNotFoundError, ValidationError } from "../errors/errors.ts";
import { describe } from "../text/describe.ts";

/** Refuses anything but a path, before a confusing error comes from deep below. */
export function assertPath(argument: string, path: unknown): asserts path is string {
  if (typeof path !== "string" || path === "" || path.includes("\0")) {
    throw new ValidationError(`${argument}: expected a file path, got ${describe(path)}. Nothing was written.`);
  }
}

/** Says plainly that the folder a file should go to is missing, or that a folder stands in the file's place. */
export function assertWritablePlace(argument: string, path: unknown): asserts path is string {
  assertPath(argument, path);
  const directory = dirname(path);
  if (statSync(directory, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw new FileNotFoundError(`${argument}: the directory ${directory} does not exist. Nothing was written.`, {
      path: directory,
    });
  }
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) {
    throw new ValidationError(`${argument}: ${path} is a directory; expected a file. Nothing was written.`, { path });
  }
}
