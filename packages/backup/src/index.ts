/** Backups of pattern libraries on S3, Azure Blob, Google Cloud Storage, or in a directory. */
export { BackupStore } from "./backup_store.ts";
export { openBackupStore } from "./open_backup_store.ts";
