import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

/** Node.js 26 for Linux needs the library libatomic, which most servers do not have. */
const MAJOR = 24;
/** Taken if another Node.js runs this: it is fetched once, and npm keeps it. */
const PINNED = "24.21.0";

/** The Node.js that an executable contains. */
export interface NodeBinary {
  path: string;
  /** For example `24.21.0`. */
  version: string;
  /** Its licence, with those of the libraries inside. */
  license: string;
}

/**
 * Returns this Node.js if it is of the version that executables contain, and otherwise one from npm.
 *
 * @throws {Error} if it cannot be fetched, or if its licence is missing.
 */
export function nodeBinary(): NodeBinary {
  const [major] = process.versions.node.split(".").map(Number);
  const { path, version } =
    major === MAJOR ? { path: process.execPath, version: process.versions.node } : { path: fetched(), version: PINNED };
  const folder = dirname(path);
  // On Windows the program is not in a folder `bin`. npm has the distribution of each platform in a package of its own.
  const distribution = `${process.platform === "win32" ? "win" : process.platform}-${process.arch}`;
  const ofNpm = ["node", "node-bin"].map((name) => join("..", "node_modules", `${name}-${distribution}`));
  const places = ["..", ".", ...ofNpm];
  const license = places.map((place) => join(folder, place, "LICENSE")).find((place) => existsSync(place));
  if (license === undefined) throw new Error(`The licence of Node.js is missing next to ${path}.`);
  return { path, version, license };
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
