import { MissingPackageError } from "@perdura/internals/errors/errors.js";
import type * as Identity from "@azure/identity";
import type * as StorageBlob from "@azure/storage-blob";

/**
 * Loads Azure's SDK, which is installed by those only who keep backups there.
 *
 * @throws MissingPackageError, which says what to install.
 */
export async function loadStorageBlob(): Promise<typeof StorageBlob> {
  try {
    return await import("@azure/storage-blob");
  } catch (cause) {
    throw missing(cause, "Backups on Azure Blob Storage need the package @azure/storage-blob");
  }
}

/**
 * Loads what finds the credentials of a machine or of a user who is signed in.
 *
 * @throws MissingPackageError, which says what to install.
 */
export async function loadIdentity(place: string): Promise<typeof Identity> {
  try {
    return await import("@azure/identity");
  } catch (cause) {
    const none =
      "neither AZURE_STORAGE_KEY nor AZURE_STORAGE_SAS_TOKEN nor a connection string for this account is set";
    throw missing(cause, `${place}: ${none}, and to find other credentials takes the package @azure/identity`);
  }
}

function missing(cause: unknown, need: string): unknown {
  if ((cause as NodeJS.ErrnoException).code !== "ERR_MODULE_NOT_FOUND") return cause;
  const name = need.slice(need.lastIndexOf("@"));
  return new MissingPackageError(`${need}, which is not installed: npm install ${name}`, { cause });
}
