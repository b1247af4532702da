import { ValidationError } from "@perdura/internals/errors/errors.js";
import { describe } from "@perdura/internals/text/describe.js";
import type { Upload } from "../object_store.ts";

/** The longest name that the service takes, in characters. */
const LONGEST = 1024;

/**
 * Whether the service finds a blob of this name again: clients resolve `.` and `..` in URLs, and the service takes dots and
 * slashes away at the ends of parts.
 */
export function isSafeName(name: string): boolean {
  return (
    /^[A-Za-z0-9/._%~-]+$/.test(name) &&
    name.length <= LONGEST &&
    name.split("/").every((part) => part !== "" && !part.endsWith("."))
  );
}

/**
 * The blob's name of a key.
 *
 * @throws ValidationError for a key that the service would not keep as it is.
 */
export function blobName(prefix: string, key: string): string {
  const name = below(prefix, key);
  if (isSafeName(key) && name.length <= LONGEST) return name;
  throw new ValidationError(
    `key: expected up to ${LONGEST} ASCII letters, digits and / . _ - % ~ with the prefix, no empty part, and none that ends with a dot; got ${describe(key)}.`,
  );
}

/** A name, or the beginning of names, below the prefix. */
export function below(prefix: string, key: string): string {
  return prefix === "" ? key : `${prefix}/${key}`;
}

/** @throws ValidationError for what would come back changed: headers lose blanks at their ends. */
export function assertMetadata(metadata: Upload["metadata"]): void {
  for (const [name, value] of Object.entries(metadata)) {
    if (!/^[a-z][a-z0-9]*$/.test(name))
      throw new ValidationError(
        `metadata: expected names of lower-case letters a to z and digits, got ${describe(name)}.`,
      );
    if (!/^(?:[!-~](?:[ -~]*[!-~])?)$/.test(value))
      throw new ValidationError(
        `metadata.${name}: expected printable ASCII without blanks at its ends, got ${describe(value)}.`,
      );
  }
}
