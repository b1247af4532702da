import { spawnSync } from "node:child_process";
import { chmodSync, copyFileSync, lchownSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { migratorCommand } from "../../../../test/programs.ts";
import { freshFolder } from "../../../../test/fresh_folder.ts";

/** Permissions do not apply to the superuser, who therefore runs the program as another user. */
const NOBODY = 65_534;
const user = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};

/** The Node.js of these tests may be in a place that only the superuser can read. */
let node = process.execPath;

/** Runs perdura-migrate as a user who is not the superuser. */
export function runAsUser(...words: string[]): { code: number | null; stdout: string; text: string } {
  const { status, stdout, stderr } = spawnSync(node, migratorCommand(...words).slice(1), {
    ...user,
    encoding: "utf8",
    env: { ...process.env, NO_COLOR: "1", NODE_COMPILE_CACHE: "" },
    cwd: "/",
  });
  return { code: status, stdout, text: stdout + stderr };
}

/** False if there is no such user, or no program that the user may run. */
export function canRunAsUser(): boolean {
  if (process.platform === "win32") return false;
  if (runAsUser("--version").code === 0) return true;
  const place = freshFolder();
  chmodSync(place, 0o755);
  node = join(place, "node");
  copyFileSync(process.execPath, node);
  return runAsUser("--version").code === 0;
}

/** Gives that user a folder and everything in it. */
export function giveToUser(folder: string): void {
  if (user.uid !== undefined)
    for (const name of ["", ...readdirSync(folder, { recursive: true, encoding: "utf8" })])
      lchownSync(join(folder, name), NOBODY, NOBODY);
}
