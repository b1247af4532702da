import { FileNotFoundError } from "@perdura/internals/errors/errors.js";
import { suggestion } from "@perdura/cli/near_miss.js";
import { describe } from "@perdura/internals/text/describe.js";
import type { BackupStore } from "../backup_store.ts";
import type { BackupVersion } from "../layout/versions.ts";

/**
 * The versions of the library that was named, or of all. A name that is not there is a slip: to say that all of its
 * versions are whole would be true, and a lie.
 *
 * @throws FileNotFoundError where there is no backup of that name.
 */
export async function namedVersions(
  store: BackupStore,
  name: string | undefined,
  signal: AbortSignal,
): Promise<BackupVersion[]> {
  const versions = await store.list(name, { signal });
  if (name === undefined || versions.length > 0) return versions;
  const names = new Set((await store.list(undefined, { signal })).map((version) => version.name));
  throw new FileNotFoundError(
    `there is no backup of ${describe(name)}. Nothing was changed.${suggestion(name, [...names])}`,
    { path: store.place },
  );
}
