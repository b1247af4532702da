import { UnsupportedRuntimeError } from "../errors/errors.ts";

/** The oldest Node.js that perdura runs on. */
export const MINIMUM_NODE = "22.12.0";

/**
 * Refuses a Node.js below the minimum with a sentence. The database driver would end the process without a word there,
 * so this runs before the driver is loaded.
 */
export function assertSupportedNode(version: string = process.versions.node): void {
  if (compareVersions(version, MINIMUM_NODE) < 0) {
    throw new UnsupportedRuntimeError(`perdura needs Node.js ${MINIMUM_NODE} or newer; this is Node.js ${version}.`);
  }
}

function compareVersions(left: string, right: string): number {
  const other = right.split(".").map(Number);
  for (const [index, part] of left.split(".").map((part) => Number.parseInt(part, 10)).entries()) {
    const difference = part - (other[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
