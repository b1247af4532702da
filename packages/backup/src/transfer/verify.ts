import { isPerduraError } from "@perdura/internals/errors/errors.js";
import type { BackupVersion, StoredVersion } from "../layout/versions.ts";
import { withFileInTemporaryDirectory } from "../local/temporary_file.ts";
import type { CheckedOptions } from "../options.ts";
import type { ObjectStore } from "../stores/object_store.ts";
import { fetchInto, findVersion } from "./download.ts";

/** Result of the verification of a version. */
export interface Verification extends BackupVersion {
  /** True if it is intact. */
  ok: boolean;
  /** The problem, or null. */
  problem: string | null;
}

/** Codes of errors that are faults of a version; a network failure, for example, says nothing about it. */
const OF_VERSION: readonly string[] = [
  "PERDURA_CORRUPT_DATA",
  "PERDURA_FILE_NOT_FOUND",
  "PERDURA_JSON_DECODE",
  "PERDURA_UNSUPPORTED_FORMAT",
  "PERDURA_VALIDATION",
];

/** Reads a version like a restore. */
export async function verifyVersion(
  store: ObjectStore,
  stored: StoredVersion,
  options: CheckedOptions,
  signal: AbortSignal | undefined,
): Promise<Verification> {
  try {
    await withFileInTemporaryDirectory(options.temporaryDirectory, "perdura-verify", async (path) => {
      const found = await findVersion(store, stored, signal);
      await fetchInto(path, store, { stored, found }, options, signal);
    });
    return { ...stored.version, ok: true, problem: null };
  } catch (error) {
    if (!isPerduraError(error) || !OF_VERSION.includes(error.code)) throw error;
    return { ...stored.version, ok: false, problem: (error as unknown as Error).message };
  }
}
