import { assertNoHomeSign } from "../files/places.ts";
import { ValidationError } from "../errors/errors.ts";
import { withStorage } from "../errors/storage_errors.ts";
import { makeDirectory } from "../files/make_directory.ts";
import { isRawNumber } from "../json/values.ts";
import { isAddress, isMistypedAddress } from "../text/addresses.ts";
import { describe, quote } from "../text/describe.ts";
import { assertIdentifier } from "../text/identifiers.ts";

/** The persistence fields of a configuration object (specification, section 4.5). Other fields are ignored. */
export interface Configuration {
  /** The user on whose behalf the program runs; returned unchanged. */
  user_id?: string | undefined;
  /** `false` keeps everything in memory and touches no file; `true` by default. */
  persistence_enabled?: boolean | undefined;
  /** Directory of the databases, created if it is missing; the current directory by default. */
  persistence_path?: string | undefined;
}

/** Place of the data: a directory, or undefined for data in memory. */
export interface Place {
  directory: string | undefined;
}

/**
 * Checks a configuration and creates its directory (ruling U-config).
 *
 * @param otherwise Sentence that says what to do for data in PostgreSQL.
 * @throws ValidationError that names the field.
 */
export function preparePlace(config: Configuration, otherwise: string): Place {
  if (typeof config !== "object" || config === null || Array.isArray(config) || isRawNumber(config)) {
    throw new ValidationError(`expected an object, got ${describe(config)}.`, { argument: "config" });
  }
  const { user_id: userId, persistence_enabled: enabled = true, persistence_path: path = "." } = config;
  if (userId !== undefined) assertIdentifier("user_id", userId);
  if (typeof enabled !== "boolean") {
    throw new ValidationError(`expected a boolean, got ${describe(enabled)}.`, { argument: "persistence_enabled" });
  }
  if (typeof path !== "string" || path === "" || path.includes("\0")) {
    throw new ValidationError(`expected a directory path, got ${describe(path)}.`, { argument: "persistence_path" });
  }
  if (!enabled) return { directory: undefined };
  assertNoHomeSign("persistence_path", path);
  if (isAddress(path)) {
    throw new ValidationError(
      `expected a directory path, got an address that begins with ${quote(path.slice(0, path.indexOf("//") + 2))}. ${otherwise}`,
      { argument: "persistence_path" },
    );
  }
  // Otherwise perdura would create a directory whose name contains the password.
  if (isMistypedAddress(path)) {
    throw new ValidationError(
      'expected a directory path, got text that looks like a mistyped server address; it is not shown, because it may contain a password. A PostgreSQL address begins with "postgresql://". A directory with such a name must already exist.',
      { argument: "persistence_path" },
    );
  }
  withStorage(path, "making the directory", () => makeDirectory(path));
  return { directory: path };
}
