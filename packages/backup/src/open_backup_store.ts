import { fileURLToPath } from "node:url";
import { ValidationError } from "@perdura/internals/errors/errors.js";
import { describe } from "@perdura/internals/text/describe.js";
import { BackupStore } from "./backup_store.ts";
import { type BackupStoreOptions, checkedOptions } from "./options.ts";
import { DirectoryStore } from "./stores/directory/directory_store.ts";

/**
 * Opens a store of backups.
 *
 * @param place `s3://bucket/prefix`, `az://container/prefix`, `gs://bucket/prefix` or `file:///directory`; or a ready client.
 */
export async function openBackupStore(place: string, options: BackupStoreOptions = {}): Promise<BackupStore> {
  const checked = checkedOptions(options);
  if (typeof place === "string" && place.startsWith("file:"))
    return new BackupStore(new DirectoryStore(fileURLToPath(place), place), checked);
  throw new ValidationError(
    `place: expected an address that begins s3://, az://, gs:// or file:///, or a client, got ${describe(place)}.`,
  );
}
