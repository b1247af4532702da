import { StorageError } from "@perdura/internals/errors/errors.js";
import { countText } from "@perdura/cli/quantities.js";
import type { BackupVersion, StoredVersion } from "../layout/versions.ts";
import type { ObjectStore } from "../stores/object_store.ts";
import type { SpaceCount } from "./space.ts";

/** A version that the store refuses to remove: a retention period, a legal hold, a lease. It is kept. */
export interface LockedVersion extends BackupVersion {
  /** The store's reason. */
  reason: string;
}

/**
 * Removes versions one by one; locked ones are kept, and the others are removed nevertheless.
 *
 * @param space Counts the bytes of each by their fate.
 * @returns The removed and the locked versions.
 * @throws StorageError for the first that cannot be removed, with the number of those already removed.
 */
export async function removeVersions(
  store: ObjectStore,
  versions: readonly StoredVersion[],
  space: SpaceCount,
  signal: AbortSignal | undefined,
): Promise<{ removed: BackupVersion[]; locked: LockedVersion[] }> {
  const removed: BackupVersion[] = [];
  const locked: LockedVersion[] = [];
  try {
    for (const { key, version } of versions) {
      const removal = await store.remove(key, signal);
      if (typeof removal === "object") {
        locked.push({ ...version, reason: removal.lockedBy });
        continue;
      }
      removed.push(version);
      space.add(version, removal);
    }
    return { removed, locked };
  } catch (error) {
    if (removed.length === 0 || !(error instanceof StorageError)) throw error;
    const others = `${countText(removed.length, "other version was", "other versions were")} already removed.`;
    throw new StorageError(`${error.reason} ${others}`, { path: error.path, cause: error, mayBeWritten: true });
  }
}
