import { TEMPORARY_SUFFIX } from "@perdura/internals/files/temporary_names.js";

/** What `up` appends to the name of a database or directory. */
export const BACKUP_SUFFIX = ".bak";
export const ARCHIVE_SUFFIX = ".sqlar";
export const REPORT_NAME = "perdura-migration-report";

/** `<name>.v15.bak`, then `<name>.v15.2.bak` and so on: nothing that is there is ever written over. */
export function numberedName(path: string, suffix: string, number: number): string {
  return `${path}.v15${number === 1 ? "" : `.${number}`}${suffix}`;
}

/** Says what a file is that an earlier run of the migrator made, or undefined. */
export function ownFile(name: string): string | undefined {
  if (/\.v15(?:\.\d+)?\.bak$/.test(name)) return "a backup that perdura-migrate made";
  if (/\.v15(?:\.\d+)?\.sqlar$/.test(name)) return "an archive of collaboration states that perdura-migrate made";
  if (name.startsWith(REPORT_NAME) && name.endsWith(".json")) return "a report of perdura-migrate";
  if (name.includes(TEMPORARY_SUFFIX)) return "a temporary file of a run that is at work or was cut off";
  return undefined;
}
