import { readWhole } from "@perdura/internals/files/read_bytes.js";

/** The mounts of this process, one a line; the fifth field is the mount point. */
const MOUNTS = "/proc/self/mountinfo";

/**
 * True for a directory or a single file on which another one is mounted, for example in a container. It cannot be
 * replaced or removed, and the other one has a name of its own elsewhere.
 *
 * @param path The real path.
 */
export function isMountPoint(path: string): boolean {
  return mountPointsNow()(path);
}

/** The same for many real paths: the system is asked once. */
export function mountPointsNow(): (path: string | Buffer) => boolean {
  const points = process.platform === "linux" ? mountPoints() : new Set();
  return (path) => points.has(Buffer.from(path).toString("latin1"));
}

/** One character for each byte, because names need not be UTF-8. Empty if the system does not tell. */
function mountPoints(): ReadonlySet<string | undefined> {
  try {
    const lines = readWhole(MOUNTS).toString("latin1").split("\n");
    return new Set(lines.map((line) => line.split(" ", 5)[4]?.replaceAll(/\\([0-7]{3})/g, unescaped)));
  } catch {
    return new Set();
  }
}

const unescaped = (_escape: string, octal: string): string => String.fromCharCode(Number.parseInt(octal, 8));
