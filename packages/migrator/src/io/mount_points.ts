import { readWhole } from "@perdura/internals/files/read_bytes.js";

/** The mounts of this process, one a line; the fifth field is the mount point. */
const MOUNTS = "/proc/self/mountinfo";

/**
 * True for a single file on which another file is mounted, for example in a container. It cannot be replaced, and the
 * other file has a name of its own in another directory.
 *
 * @param path The real path.
 */
export function isMountPoint(path: string): boolean {
  return process.platform === "linux" && mountPoints().has(path.replaceAll(/[ \t\n\\]/g, escaped));
}

/** Empty if the system does not tell. */
function mountPoints(): ReadonlySet<string | undefined> {
  try {
    const lines = readWhole(MOUNTS).toString().split("\n");
    return new Set(lines.map((line) => line.split(" ", 5)[4]));
  } catch {
    return new Set();
  }
}

const escaped = (character: string): string => `\\${character.charCodeAt(0).toString(8).padStart(3, "0")}`;
