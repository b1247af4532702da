import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { layOutMigration } from "../../fixtures/lay_out.ts";
import { temporaryFolder } from "../../test/temporary_folder.ts";

/**
 * Runs executables on this machine with a sample of pre-16 data, without a Node.js on the search path.
 *
 * @param folder Contains both executables.
 * @throws {Error} with the output of the command that failed.
 */
export function tryExecutables(folder: string): void {
  const place = temporaryFolder();
  try {
    layOutMigration("persistence-directory", join(place, "data"));
    const commands = [
      ["perdura-migrate", "up", "data"],
      ["perdura-migrate", "verify", "data"],
      ["perdura-inspect", "data", "--html", "data.html"],
      ["perdura-migrate", "down", "data"],
    ] as const;
    for (const [name, ...words] of commands) {
      const { status, stdout, stderr, error } = spawnSync(join(folder, name), words, {
        cwd: place,
        encoding: "utf8",
        // Windows needs its own variables.
        env: process.platform === "win32" ? { ...process.env, PATH: "" } : {},
      });
      if (error !== undefined) throw error;
      if (status !== 0) throw new Error(`${name} ${words.join(" ")} ended with ${status}:\n${stdout}${stderr}`);
    }
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}
