import { spawnSync } from "node:child_process";
import { chmodSync, copyFileSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { bundleProgram, type ExecutableName } from "./bundle_program.ts";
import { licenseTexts } from "./licenses.ts";
import type { NodeBinary } from "./node_binary.ts";
import { temporaryFolder } from "../../test/temporary_folder.ts";

const { resolve } = createRequire(import.meta.url);

/** An executable, and the licences of the code inside. */
export interface Executable {
  name: ExecutableName;
  path: string;
  licenses: string;
}

/**
 * Builds a program as one file for this platform, which needs no Node.js: a Node.js with the bundled program, the
 * compiled code of its functions, SQLite and the licences.
 *
 * @param folder Gets the executable; created if it is missing.
 */
export async function buildExecutable(name: ExecutableName, folder: string, node: NodeBinary): Promise<Executable> {
  const { code, packages } = await bundleProgram(name);
  const licenses = licenseTexts(packages, node);
  const path = join(folder, process.platform === "win32" ? `${name}.exe` : name);
  mkdirSync(folder, { recursive: true });
  const workshop = temporaryFolder();
  try {
    const main = join(workshop, `${name}.cjs`);
    const blob = join(workshop, "blob");
    const settings = join(workshop, "settings.json");
    writeFileSync(main, code);
    writeFileSync(join(workshop, "licenses"), licenses);
    const assets = { "sqlite.node": sqliteBinary(), licenses: join(workshop, "licenses") };
    writeFileSync(
      settings,
      JSON.stringify({ main, output: blob, disableExperimentalSEAWarning: true, useCodeCache: true, assets }),
    );
    run(node.path, "--experimental-sea-config", settings);
    copyFileSync(node.path, path);
    chmodSync(path, 0o755);
    // Only a debugger of native code reads these symbols, 18 MB. The addon finds others, which stay.
    if (process.platform === "linux") run("strip", "--strip-all", path);
    // Its signature would not match any more.
    if (process.platform === "darwin") run("codesign", "--remove-signature", path);
    // Node.js looks for this name, and for a changed digit after the fuse.
    const fuse = "NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2";
    const words = ["NODE_SEA_BLOB", blob, "--sentinel-fuse", fuse, "--macho-segment-name", "NODE_SEA"];
    run(process.execPath, resolve("postject/dist/cli.js"), path, ...words);
    // macOS starts no program whose signature does not match. This one names no author.
    if (process.platform === "darwin") run("codesign", "--sign", "-", path);
  } finally {
    rmSync(workshop, { recursive: true, force: true });
  }
  return { name, path, licenses };
}

/** The native code of better-sqlite3 for this platform; on Linux for glibc, with which Node.js is built. */
function sqliteBinary(): string {
  const folder = dirname(resolve("better-sqlite3/package.json"));
  return join(folder, "prebuilds", `${process.platform}-${process.arch}.node`);
}

function run(program: string, ...words: string[]): void {
  // Without variables such as NODE_OPTIONS, which could change the code that is compiled.
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("NODE_")));
  const { status, stdout, stderr, error } = spawnSync(program, words, { encoding: "utf8", env });
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(`${program} ${words.join(" ")} ended with ${status}:\n${stdout}${stderr}`);
}
