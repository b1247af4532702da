import { MissingPackageError } from "@perdura/internals/errors/errors.js";
import type * as Gcs from "@google-cloud/storage";

/**
 * Loads Google's client, which is installed by those who keep backups there only.
 *
 * @throws MissingPackageError, which says what to install.
 */
export async function loadGcs(): Promise<typeof Gcs> {
  try {
    return await import("@google-cloud/storage");
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "ERR_MODULE_NOT_FOUND") throw cause;
    throw new MissingPackageError(
      "Backups on Google Cloud Storage need the package @google-cloud/storage, which is not installed: npm install @google-cloud/storage",
      { cause },
    );
  }
}
