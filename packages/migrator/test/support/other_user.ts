import { spawnSync } from "node:child_process";
import { lchownSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { nodeForOtherUsers, OTHER_USER } from "../../../../test/node_for_other_users.ts";
import { migratorCommand } from "../../../../test/programs.ts";

/** Runs perdura-migrate as a user who is not the superuser. */
export function runAsUser(...words: string[]): { code: number | null; stdout: string; text: string } {
  const { status, stdout, stderr } = spawnSync(nodeForOtherUsers(), migratorCommand(...words).slice(1), {
    ...OTHER_USER,
    encoding: "utf8",
    env: { ...process.env, NO_COLOR: "1", NODE_COMPILE_CACHE: "" },
    cwd: "/",
  });
  return { code: status, stdout, text: stdout + stderr };
}

/** False if there is no such user, or no program that the user may run. */
export function canRunAsUser(): boolean {
  if (process.platform === "win32") return false;
  return runAsUser("--version").code === 0;
}

/** Gives that user a folder and everything in it. */
export function giveToUser(folder: string): void {
  const { uid, gid } = OTHER_USER;
  if (uid === undefined || gid === undefined) return;
  for (const name of ["", ...readdirSync(folder, { recursive: true, encoding: "utf8" })])
    lchownSync(join(folder, name), uid, gid);
}
