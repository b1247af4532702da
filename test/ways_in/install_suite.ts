import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { runAction } from "./action_steps.ts";

const SUITE = fileURLToPath(new URL("../../packages/conformance", import.meta.url));

/**
 * Packs the suite as it would be published, and lets the action install it, once for all test files; returns what removes
 * both.
 */
export function setup(): () => void {
  const place = mkdtempSync(join(tmpdir(), "perdura-ways-in-"));
  const temp = join(place, "runner");
  mkdirSync(temp);
  process.env["WAYS_IN_SUITE"] = packSuite(place);
  process.env["WAYS_IN_RUNNER_TEMP"] = temp;
  const inputs = { adapter: "no-such-program", version: process.env["WAYS_IN_SUITE"] };
  const { log } = runAction(inputs, { workspace: temp, temp });
  if (!log.includes("no-such-program could not be started")) throw new Error(`the suite was not installed:\n${log}`);
  return () => rmSync(place, { recursive: true, force: true });
}

function packSuite(folder: string): string {
  if (!existsSync(join(SUITE, "dist/cli.js")))
    throw new Error("test/ways_in needs what pnpm build makes: run it first");
  const { status, stdout, stderr } = spawnSync("pnpm", ["pack", "--silent", "--pack-destination", folder], {
    cwd: SUITE,
    encoding: "utf8",
  });
  const tarball = readdirSync(folder).find((name) => name.endsWith(".tgz"));
  if (status !== 0 || tarball === undefined) throw new Error(`the suite cannot be packed:\n${stdout}${stderr}`);
  return join(folder, tarball);
}
