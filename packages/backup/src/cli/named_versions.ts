import { FileNotFoundError } from "@perdura/internals/errors/errors.js";
import { suggestion } from "@perdura/cli/suggestion.js";
import { describe } from "@perdura/internals/text/describe.js";
import type { BackupStore } from "../backup_store.ts";
import type { BackupVersion } from "../layout/versions.ts";

/**
 * Lists the versions of the named library, or of all. An unknown name is probably a typing error: “all versions are
 * intact” would be true, but misleading.
 *
 * @throws FileNotFoundError when the library has no backup.
 */
export async function namedVersions(
  store: BackupStore,
  name: string | undefined,
  signal: AbortSignal,
): Promise<BackupVersion[]> {
  const versions = await store.list(name, { signal });
  if (name === undefined || versions.length > 0) return versions;
  const names = new Set((await store.list(undefined, { signal })).map((version) => version.name));
  throw new FileNotFoundError(`there is no backup of ${describe(name)}.${suggestion(name, [...names])}`, {
    path: store.place,
  });
}
