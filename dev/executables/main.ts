/**
 * Builds the programs for operators as one file each, into `executables`, and runs them: `pnpm executables`. With
 * `--archives`, also the archives of a release.
 */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { archiveExecutable } from "./archive.ts";
import { buildExecutable } from "./build_executable.ts";
import { EXECUTABLE_NAMES } from "./bundle_program.ts";
import { nodeBinary } from "./node_binary.ts";
import { tryExecutables } from "./try_executables.ts";

const folder = join(fileURLToPath(new URL("../../", import.meta.url)), "executables");
const { values } = parseArgs({ options: { archives: { type: "boolean", default: false } } });

rmSync(folder, { recursive: true, force: true });
const node = nodeBinary();
const executables = [];
for (const name of EXECUTABLE_NAMES) executables.push(await buildExecutable(name, folder, node));
tryExecutables(folder);
for (const each of executables) {
  console.log(each.path);
  if (values.archives) console.log(archiveExecutable(each, folder));
}
