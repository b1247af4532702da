import { FileNotFoundError, ValidationError } from "@perdura/internals/errors/errors.js";
import { countText } from "@perdura/cli/quantities.js";
import { describe } from "@perdura/internals/text/describe.js";
import { readVersion, type StoredVersion } from "./layout/versions.ts";

/**
 * Selects a version of a library: by its name, or the newest that is not younger than a given time; by default the
 * newest.
 */
export interface VersionChoice {
  /** The `version` of a {@link BackupVersion}. */
  version?: string | undefined;
  /** A `Date`, or ISO 8601 with a zone. */
  at?: Date | string | undefined;
}

/** @throws ValidationError for an invalid choice. */
export function assertChoice({ version, at }: VersionChoice): void {
  if (version !== undefined && at !== undefined)
    throw new ValidationError("version, at: expected one of them, got both. Nothing was changed.");
  if (version !== undefined && (typeof version !== "string" || readVersion(version) === undefined))
    throw new ValidationError(
      `expected the name of a version as list shows it, got ${describe(version)}. Nothing was changed.`,
      { argument: "version" },
    );
  if (at !== undefined) parseTime(at);
}

/**
 * @param versions Versions of one library, the newest first.
 * @param place Address of the store, for messages.
 * @throws FileNotFoundError when no version matches.
 */
export function chooseVersion(
  versions: readonly StoredVersion[],
  name: string,
  { version, at }: VersionChoice,
  place: string,
): StoredVersion {
  const moment = at === undefined ? undefined : parseTime(at);
  const chosen = versions.find(({ version: each }) => {
    if (version !== undefined) return each.version === version;
    return moment === undefined || Date.parse(each.created_at) <= moment;
  });
  if (chosen !== undefined) return chosen;
  const which =
    version !== undefined
      ? ` with the version ${describe(version)}`
      : moment === undefined
        ? ""
        : ` from ${new Date(moment).toISOString()} or earlier`;
  const others = countText(versions.length, "other version exists", "other versions exist");
  throw new FileNotFoundError(
    `there is no backup of ${describe(name)}${which}${versions.length === 0 ? "" : `; ${others}`}. Nothing was changed.`,
    { path: place },
  );
}

const ISO = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d))?$/;

/**
 * Returns milliseconds. A date without a time is the end of that day in UTC, so that it includes the backups of the
 * day.
 */
function parseTime(at: Date | string): number {
  const text = typeof at === "string" ? at : undefined;
  const time = at instanceof Date ? at.getTime() : ISO.test(text ?? "") ? Date.parse(text as string) : Number.NaN;
  if (Number.isNaN(time))
    throw new ValidationError(
      `expected a Date, or a time in ISO 8601 with a zone, such as 2026-11-22T16:43:10Z, got ${describe(at)}. Nothing was changed.`,
      { argument: "at" },
    );
  return text?.length === 10 ? time + 24 * 60 * 60 * 1000 - 1 : time;
}
