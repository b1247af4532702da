import { accessSync, constants, statSync } from "node:fs";
import { delimiter, join } from "node:path";

/** Where a plain user's PATH often does not lead. */
const FOR_ADMINISTRATORS = ["/usr/local/sbin", "/usr/sbin", "/sbin"];

/** What tests are called that found no PgBouncer. */
export const NO_PGBOUNCER = "not run: no PgBouncer here; install the package pgbouncer";

/**
 * The path of the program `pgbouncer`; undefined where it is not installed.
 *
 * @throws Error where it is not installed and `REQUIRE_BACKENDS=1` insists on it.
 */
export function installedPgBouncer(): string | undefined {
  const folders = (process.env["PATH"] ?? "").split(delimiter).filter((folder) => folder !== "");
  const found = [...folders, ...FOR_ADMINISTRATORS].map((folder) => join(folder, "pgbouncer")).find(canBeRun);
  if (found === undefined && process.env["REQUIRE_BACKENDS"] === "1")
    throw new Error(`REQUIRE_BACKENDS=1: ${NO_PGBOUNCER}`);
  return found;
}

/** False also in a folder that we may not look into: a PATH can name folders of another user. */
function canBeRun(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
