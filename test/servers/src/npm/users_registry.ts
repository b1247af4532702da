import { spawnSync } from "node:child_process";

/** The settings of npm that lead to the user's registry. */
export interface UsersRegistry {
  registry: string;
  /** Certificates of the only authorities to trust, and the file that has them; by default, those of Node.js. */
  ca: string | string[] | null;
  cafile: string | null;
  "strict-ssl": boolean;
}

/** Asks npm, which reads all files and variables of settings. */
export function usersRegistry(): UsersRegistry {
  const { stdout, error } = spawnSync("npm", ["config", "list", "--json"], {
    encoding: "utf8",
    shell: process.platform === "win32",
  });
  if (error !== undefined) throw error;
  const { registry, ca, cafile, "strict-ssl": strict } = JSON.parse(stdout) as UsersRegistry;
  return { registry, ca, cafile, "strict-ssl": strict };
}
