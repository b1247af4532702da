import { dirname } from "node:path";
import type { StoredVersion } from "../layout/versions.ts";
import { assertReplaceable, putInPlace } from "../local/place_restored.ts";
import { withTemporaryFile } from "../local/temporary_file.ts";
import type { CheckedOptions } from "../options.ts";
import type { ObjectStore } from "../stores/object_store.ts";
import { fetchInto } from "./fetch_into.ts";

/** Brings a version into a file: whole, checked and on the disk before anything is replaced. */
export async function restoreVersion(
  store: ObjectStore,
  stored: StoredVersion,
  { to, overwrite = false, signal }: { to: string; overwrite?: boolean | undefined; signal?: AbortSignal | undefined },
  options: CheckedOptions,
): Promise<void> {
  const { version } = stored;
  const replacing = { overwrite, busyTimeoutMs: options.busyTimeoutMs };
  assertReplaceable(to, version, replacing);
  // Beside the place, so that a rename brings it there.
  await withTemporaryFile(dirname(to), "perdura-restore", async (path) => {
    await fetchInto(path, store, stored, options, signal);
    signal?.throwIfAborted();
    // It may have been changed while the version came.
    assertReplaceable(to, version, replacing);
    await putInPlace(path, to, version, replacing);
  });
}
