import { StorageError } from "@perdura/internals/errors/errors.js";
import { countText } from "@perdura/internals/terminal/quantities.js";
import type { StoredVersion } from "../layout/versions.ts";
import type { ObjectStore } from "../stores/object_store.ts";

/**
 * Removes versions, one after the other.
 *
 * @throws StorageError for the first that cannot be removed, which says how many are gone already.
 */
export async function removeVersions(
  store: ObjectStore,
  versions: readonly StoredVersion[],
  signal: AbortSignal | undefined,
): Promise<void> {
  let removed = 0;
  try {
    for (const { key } of versions) {
      await store.remove(key, signal);
      removed += 1;
    }
  } catch (error) {
    if (removed === 0 || !(error instanceof StorageError)) throw error;
    const others = `${countText(removed, "other version")} had been removed before.`;
    throw new StorageError(`${error.message} ${others}`, { path: error.path, cause: error });
  }
}
