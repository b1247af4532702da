import { accessSync, constants, statSync } from "node:fs";
import { delimiter, join } from "node:path";

/** Folders that are often missing from a plain user's PATH. */
const FOR_ADMINISTRATORS = ["/usr/local/sbin", "/usr/sbin", "/sbin"];

/** Suffix for the names of tests that are skipped without PgBouncer. */
export const NO_PGBOUNCER = "not run: PgBouncer is not installed; install the package pgbouncer";

/**
 * The path of the program `pgbouncer`; undefined if it is not installed.
 *
 * @throws Error if it is not installed and `REQUIRE_BACKENDS=1` requires it.
 */
export function installedPgBouncer(): string | undefined {
  const folders = (process.env["PATH"] ?? "").split(delimiter).filter((folder) => folder !== "");
  const found = [...folders, ...FOR_ADMINISTRATORS].map((folder) => join(folder, "pgbouncer")).find(canBeRun);
  if (found === undefined && process.env["REQUIRE_BACKENDS"] === "1")
    throw new Error(`REQUIRE_BACKENDS=1: ${NO_PGBOUNCER}`);
  return found;
}

/** False also in a folder that we may not read: a PATH can name folders of another user. */
function canBeRun(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
