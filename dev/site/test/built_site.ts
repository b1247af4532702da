import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inRepository } from "../src/repository.ts";

/** A built site in a folder of its own. */
export interface BuiltSite {
  place: string;
  remove: () => void;
}

/** Builds the site with the command that users run; the addresses are those of the environment. */
export function buildSite(addresses: Record<string, string>): BuiltSite {
  const place = mkdtempSync(join(tmpdir(), "perdura-built-site-"));
  const program = inRepository("dev/site/node_modules/vitepress/bin/vitepress.js");
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, "build", "--outDir", place], {
    cwd: inRepository("dev/site"),
    env: { ...process.env, ...addresses },
    encoding: "utf8",
  });
  const remove = (): void => rmSync(place, { recursive: true, force: true });
  if (status !== 0) {
    remove();
    throw new Error(`Building the site failed:\n${stdout}${stderr}`);
  }
  return { place, remove };
}
