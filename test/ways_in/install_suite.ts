import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { runAction } from "./action_steps.ts";
import { temporaryFolder } from "../temporary_folder.ts";

const SUITE = fileURLToPath(new URL("../../packages/conformance", import.meta.url));

/**
 * Packs the suite as for publication, and lets the action install it, once for all test files; returns a function that
 * removes both.
 */
export function setup(): () => void {
  const place = temporaryFolder();
  const remove = (): void => rmSync(place, { recursive: true, force: true });
  try {
    installPacked(place);
  } catch (error) {
    remove();
    throw error;
  }
  return remove;
}

function installPacked(place: string): void {
  const temp = join(place, "runner");
  mkdirSync(temp);
  const version = packSuite(place);
  process.env["WAYS_IN_SUITE"] = version;
  process.env["WAYS_IN_RUNNER_TEMP"] = temp;
  const { log } = runAction({ adapter: "no-such-program", version }, { workspace: temp, temp });
  if (!log.includes("no-such-program could not be started")) throw new Error(`installing the suite failed:\n${log}`);
}

function packSuite(folder: string): string {
  if (!existsSync(join(SUITE, "dist/cli.js")))
    throw new Error("packages/conformance is not built; run pnpm build first");
  const { status, stdout, stderr } = spawnSync("pnpm", ["pack", "--silent", "--pack-destination", folder], {
    cwd: SUITE,
    encoding: "utf8",
  });
  const tarball = readdirSync(folder).find((name) => name.endsWith(".tgz"));
  if (status !== 0 || tarball === undefined) throw new Error(`packing the suite failed:\n${stdout}${stderr}`);
  return join(folder, tarball);
}
