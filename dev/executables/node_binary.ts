import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

/** Node.js 26 for Linux needs the library libatomic, which most servers do not have. */
const MAJOR = 24;
/** Fetched from npm, which keeps it, if this Node.js is another one. */
const PINNED = "24.21.0";

/** The Node.js that an executable contains. */
export interface NodeBinary {
  path: string;
  /** For example `24.21.0`. */
  version: string;
  /** Path of its licence, with those of the libraries inside. */
  license: string;
}

/**
 * Returns this Node.js if it has the version that executables contain, and its licence, and otherwise one from npm.
 *
 * @throws {Error} if it cannot be fetched, or if its licence is missing.
 */
export function nodeBinary(): NodeBinary {
  const { node: version } = process.versions;
  const license = licenseOf(process.execPath);
  if (version.startsWith(`${MAJOR}.`) && license !== undefined) return { path: process.execPath, version, license };
  const path = fetched();
  const other = licenseOf(path);
  if (other === undefined) throw new Error(`The licence of Node.js is missing next to ${path}.`);
  return { path, version: PINNED, license: other };
}

/** Searches the distribution that contains a Node.js. */
function licenseOf(node: string): string | undefined {
  const platform = `${process.platform === "win32" ? "win" : process.platform}-${process.arch}`;
  // On Windows the program is not in a folder `bin`; npm has the distributions in packages of their own.
  const ofNpm = ["node", "node-bin"].map((name) => join("..", "node_modules", `${name}-${platform}`));
  const files = ["..", ".", ...ofNpm].map((place) => join(dirname(node), place, "LICENSE"));
  return files.find((file) => existsSync(file));
}

function fetched(): string {
  const words = ["--yes", "--package", `node@${PINNED}`, "--", "node", "--print", "process.execPath"];
  const { status, stdout, stderr } = spawnSync("npx", words, {
    encoding: "utf8",
    shell: process.platform === "win32",
  });
  if (status !== 0) throw new Error(`Node.js ${PINNED} could not be fetched from npm:\n${stderr}`);
  return stdout.trim();
}
