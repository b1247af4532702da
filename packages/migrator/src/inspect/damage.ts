import { isPerduraError } from "@perdura/internals/errors/errors.js";
import { logWithData } from "@perdura/internals/sqlite/logs.js";
import { lastBackup } from "../io/copy_database.ts";
import type { Settings } from "../core/options.ts";
import { Stop } from "../core/stop.ts";

/** Ends the work on a database whose pages are damaged. */
export class DamagedDatabase extends Stop {
  constructor(sentence: string) {
    super("refused", sentence);
  }
}

/** True for an error that says that a database is damaged, or cannot be read as one. */
export function isDamage(error: unknown): boolean {
  if (error instanceof DamagedDatabase || isPerduraError(error, "PERDURA_CORRUPT_DATA")) return true;
  const { code } = error as { code?: unknown };
  return typeof code === "string" && /^SQLITE_(?:CORRUPT|NOTADB)/.test(code);
}

/** Why a database was not looked at, in sentences: of a damaged one with its log and its backup, where there are any. */
export function reasonOf(error: unknown, stop: Stop, path: string, { backupDir }: Settings): string {
  if (!isDamage(error)) return stop.message;
  const [log, backup] = [logWithData(path), lastBackup(path, backupDir)];
  return [
    stop.message,
    ...(log === undefined
      ? []
      : [`SQLite read it with the log ${log}: if the database was put here without it, move that log away.`]),
    ...(backup === undefined ? [] : [`Its backup is ${backup}.`]),
  ].join(" ");
}
