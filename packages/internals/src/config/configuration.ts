import { assertNoHomeSign } from "../files/places.ts";
import { ValidationError } from "../errors/errors.ts";
import { withStorage } from "../files/storage_errors.ts";
import { makeDirectory } from "../files/make_directory.ts";
import { isRawNumber } from "../json/values.ts";
import { isAddress, isMistypedAddress } from "../text/addresses.ts";
import { describe, quote } from "../text/describe.ts";
import { nearMiss } from "../text/near_miss.ts";
import { assertIdentifier } from "../text/identifiers.ts";

/** A configuration object (specification, section 4.5). Other fields are refused, because they may be misspelt. */
export interface Configuration {
  /** The user on whose behalf the program runs; returned unchanged. */
  user_id?: string | undefined;
  /** `false` keeps everything in memory and touches no file; `true` by default. */
  persistence_enabled?: boolean | undefined;
  /** Directory of the databases, created if it is missing; the current directory by default. */
  persistence_path?: string | undefined;
}

/** Names of the databases in the directory of a configuration. */
export const PATTERNS_FILE = "patterns.db";
export const METRICS_FILE = "metrics.db";

/** Place of the data: a directory, or undefined for data in memory. */
export interface Place {
  directory: string | undefined;
}

/** Fields of {@link Configuration}. */
export const CONFIGURATION_FIELDS: readonly string[] = ["user_id", "persistence_enabled", "persistence_path"];

/**
 * Rejects fields that a configuration does not have (ruling U-config-keys): data would be stored elsewhere than the
 * caller expects.
 */
export function assertFields(config: object, fields: readonly string[] = CONFIGURATION_FIELDS): void {
  const unknown = Object.keys(config).find((key) => !fields.includes(key));
  if (unknown === undefined) return;
  const meant = nearMiss(unknown, fields);
  const way = meant === undefined ? `Expected one of ${fields.join(", ")}.` : `Did you mean ${meant}?`;
  throw new ValidationError(`unknown field ${quote(unknown)}. ${way} Nothing was written.`, { argument: "config" });
}

/**
 * Checks a configuration and creates its directory (ruling U-config).
 *
 * @param otherwise Sentence that says what to do for data in PostgreSQL.
 * @throws ValidationError that names the field.
 */
export function preparePlace(
  config: Configuration,
  otherwise: string,
  fields: readonly string[] = CONFIGURATION_FIELDS,
): Place {
  if (typeof config !== "object" || config === null || Array.isArray(config) || isRawNumber(config)) {
    throw new ValidationError(`expected an object, got ${describe(config)}.`, { argument: "config" });
  }
  assertFields(config, fields);
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
