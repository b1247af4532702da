/**
 * Attaches the archives in `executables` to the releases of their programs on GitHub, with their checksums:
 * `pnpm release:executables`. Run it on the commit that was released. A second run continues after an interruption, or
 * has nothing to do.
 */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { runFine, runTool } from "../tools/release/run_tool.ts";
import { archiveName, PLATFORMS, versionOfExecutable } from "./archive.ts";
import { EXECUTABLE_NAMES, EXECUTABLES, type ExecutableName } from "./bundle_program.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const folder = join(root, "executables");

try {
  for (const name of EXECUTABLE_NAMES) console.log(await attach(name));
} catch (error) {
  console.error(`release:executables: ${(error as Error).message}`);
  process.exitCode = 1;
}

/** @returns The result, as a sentence. */
async function attach(name: ExecutableName): Promise<string> {
  const tag = `${EXECUTABLES[name].package}@${versionOfExecutable(name)}`;
  const commitOf = async (revision: string): Promise<string> =>
    (await runFine("git", ["rev-parse", "--verify", `${revision}^{commit}`], root)).trim();
  if ((await commitOf(tag)) !== (await commitOf("HEAD")))
    return `${tag} was released from another commit; its executables are not changed.`;
  const files = PLATFORMS.map((platform) => archiveName(name, platform));
  const missing = files.filter((file) => !existsSync(join(folder, file)));
  if (missing.length > 0) throw new Error(`${tag}: missing in executables: ${missing.join(", ")}`);

  // Others see a release only when it is complete, and it is not changed afterwards.
  const { status, stdout } = await runTool(
    "gh",
    ["release", "view", tag, "--json", "isDraft", "--jq", ".isDraft"],
    root,
  );
  if (status === 0 && stdout.trim() === "false") return `${tag} has its executables.`;
  if (status !== 0) {
    const notes = `Executables of ${name}. To check a download: sha256sum --check --ignore-missing SHA256SUMS`;
    await runFine("gh", ["release", "create", tag, "--draft", "--verify-tag", "--title", tag, "--notes", notes], root);
  }
  const sums = files.map((file) => `${digestOf(join(folder, file))}  ${file}\n`).join("");
  mkdirSync(join(folder, `${name}.sums`), { recursive: true });
  writeFileSync(join(folder, `${name}.sums`, "SHA256SUMS"), sums);
  const paths = [...files, join(`${name}.sums`, "SHA256SUMS")].map((file) => join(folder, file));
  await runFine("gh", ["release", "upload", tag, "--clobber", ...paths], root);
  await runFine("gh", ["release", "edit", tag, "--draft=false"], root);
  return `${tag}: attached ${files.length} executables and SHA256SUMS.`;
}

function digestOf(path: string): string {
  return createHash("sha256").update(readFileSync(path)).digest("hex");
}
