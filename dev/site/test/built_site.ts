import { execFile } from "node:child_process";
import { rmSync } from "node:fs";
import { promisify } from "node:util";
import { inRepository } from "../src/repository.ts";
import { temporaryFolder } from "../../../test/temporary_folder.ts";

/** A built site in a folder of its own. */
export interface BuiltSite {
  place: string;
  remove: () => void;
}

/** Builds the site with the command that users run; the addresses are those of the environment. */
export async function buildSite(addresses: Record<string, string>): Promise<BuiltSite> {
  const place = temporaryFolder();
  const remove = (): void => rmSync(place, { recursive: true, force: true });
  const program = inRepository("dev/site/node_modules/vitepress/bin/vitepress.js");
  try {
    await promisify(execFile)(process.execPath, [program, "build", "--outDir", place], {
      cwd: inRepository("dev/site"),
      env: { ...process.env, ...addresses },
    });
    return { place, remove };
  } catch (error) {
    remove();
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    throw new Error(`Building the site failed:\n${stdout}${stderr}`, { cause: error });
  }
}
