import { assertSupportedNode } from "@perdura/internals/runtime/node_version.js";
import { BackupStore } from "./backup_store.ts";
import { type BackupStoreOptions, checkedOptions } from "./options.ts";
import { openStore } from "./stores/open_store.ts";

/**
 * Opens a store of backups. An address must not contain secrets: credentials are found like by the vendor's tools.
 *
 * @param place `s3://bucket/prefix?region=…&endpoint=…`, `az://container/prefix`,
 * `az://container@account.blob.core.windows.net/prefix`, `gs://bucket/prefix` or `file:///directory`. Or an existing
 * client: an `S3Client`, a `BlobServiceClient` or a `Storage` with the option `bucket`; a `ContainerClient` or a
 * `Bucket`. It is not closed.
 * @throws ValidationError for a wrong address or option; MissingPackageError, which names the package to install;
 * StorageError when no credentials are found.
 *
 * @example
 * ```ts
 * import { openBackupStore } from "@perdura/backup";
 *
 * const store = await openBackupStore(`file://${process.cwd()}/backups`);
 * const { name } = await store.backup("library.json", { name: "agents" });
 * console.log(name, (await store.list("agents")).length); // agents 1
 * await store.restore("agents", { to: "restored.json" });
 * await store.close();
 * ```
 */
export async function openBackupStore(place: string | object, options: BackupStoreOptions = {}): Promise<BackupStore> {
  assertSupportedNode();
  const checked = checkedOptions(options);
  return new BackupStore(await openStore(place, checked, checked), checked);
}
