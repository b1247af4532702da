import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runFine, runTool } from "../tools/release/run_tool.ts";
import { archiveName, PLATFORMS, versionOfExecutable } from "./archive.ts";
import { EXECUTABLES, type ExecutableName } from "./bundle_program.ts";

/**
 * Attaches the archives of an executable, and their checksums, to the release of its tag on GitHub. The release is a
 * draft until it is complete, and is not changed afterwards.
 *
 * @param root The folder of the working tree, with the archives in `executables`.
 * @returns The result, as a sentence.
 * @throws {Error} if an archive is missing, if the version has no tag, or with the output of `gh`.
 */
export async function attachExecutable(name: ExecutableName, root: string): Promise<string> {
  const version = versionOfExecutable(name, root);
  const tag = `${EXECUTABLES[name].package}@${version}`;
  const commitOf = (revision: string): Promise<string> =>
    runFine("git", ["rev-parse", "--verify", `${revision}^{commit}`], root);
  if ((await commitOf(tag)) !== (await commitOf("HEAD")))
    return `${tag} was released from another commit: nothing was attached.`;

  const folder = join(root, "executables");
  const files = PLATFORMS.map((platform) => archiveName(name, version, platform));
  const missing = files.filter((file) => !existsSync(join(folder, file)));
  if (missing.length > 0) throw new Error(`${tag}: missing in executables: ${missing.join(", ")}`);

  const found = await runTool("gh", ["release", "view", tag, "--json", "isDraft", "--jq", ".isDraft"], root);
  if (found.status === 0 && found.stdout.trim() === "false") return `${tag} has its executables.`;
  if (found.status !== 0) {
    const notes = "To check the files that you downloaded: sha256sum --check --ignore-missing SHA256SUMS";
    await runFine("gh", ["release", "create", tag, "--draft", "--verify-tag", "--title", tag, "--notes", notes], root);
  }
  const sums = join(folder, name, "SHA256SUMS");
  mkdirSync(join(folder, name), { recursive: true });
  writeFileSync(sums, files.map((file) => `${digestOf(join(folder, file))}  ${file}\n`).join(""));
  const paths = files.map((file) => join("executables", file));
  await runFine("gh", ["release", "upload", tag, "--clobber", ...paths, join("executables", name, "SHA256SUMS")], root);
  await runFine("gh", ["release", "edit", tag, "--draft=false"], root);
  return `${tag}: attached ${files.length} archives and SHA256SUMS.`;
}

function digestOf(path: string): string {
  return createHash("sha256").update(readFileSync(path)).digest("hex");
}
