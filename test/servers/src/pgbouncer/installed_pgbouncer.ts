import { accessSync, constants, statSync } from "node:fs";
import { delimiter, join } from "node:path";

/** Folders that are often missing from a plain user's PATH. */
const FOR_ADMINISTRATORS = ["/usr/local/sbin", "/usr/sbin", "/sbin"];

/** The path of the program `pgbouncer`; undefined if it is not installed. */
export function installedPgBouncer(): string | undefined {
  const folders = (process.env["PATH"] ?? "").split(delimiter).filter((folder) => folder !== "");
  return [...folders, ...FOR_ADMINISTRATORS].map((folder) => join(folder, "pgbouncer")).find(canBeRun);
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
