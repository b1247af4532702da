import { StorageError } from "@perdura/internals/errors/errors.js";
import { countText } from "@perdura/cli/quantities.js";
import type { BackupVersion, StoredVersion } from "../layout/versions.ts";
import type { ObjectStore } from "../stores/object_store.ts";
import type { SpaceCount } from "./space.ts";

/** A version that the store does not let go: a retention period, a legal hold, a lease. It stays. */
export interface LockedVersion extends BackupVersion {
  /** What the store says. */
  reason: string;
}

/**
 * Removes versions, one after the other; those that are locked stay, and the others go nevertheless.
 *
 * @param space Told what became of the bytes of each.
 * @returns What was removed, and what is locked.
 * @throws StorageError for the first that cannot be removed, which says how many are gone already.
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
    const others = `${countText(removed.length, "other version")} had been removed before.`;
    throw new StorageError(`${error.reason} ${others}`, { path: error.path, cause: error, mayBeWritten: true });
  }
}
