/**
 * Backups of pattern libraries in buckets, containers and directories.
 *
 * @module
 */
export { type Abortable, type Backup, BackupStore, type Pruned, type Restored } from "./backup_store.ts";
export type { VersionChoice } from "./choose_version.ts";
export type { BackupFormat, BackupVersion } from "./layout/versions.ts";
export type { RemovedTable } from "./local/sqlite_copy.ts";
export { openBackupStore } from "./open_backup_store.ts";
export type { BackupProgress, BackupStoreOptions } from "./options.ts";
export type { KeepPolicy } from "./prune/keep_policy.ts";
export type { LockedVersion } from "./prune/remove_versions.ts";
export type { Space } from "./prune/space.ts";
export type { KeptFileError } from "./transfer/restore.ts";
export type { Verification } from "./transfer/verify.ts";
