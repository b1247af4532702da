import { UnsupportedRuntimeError } from "../errors/errors.ts";

/** The oldest Node.js that perdura runs on. */
export const MINIMUM_NODE = "22.14.0";

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
  const numbers = (version: string): number[] => version.split(".").map((each) => Number.parseInt(each, 10));
  const other = numbers(right);
  const differences = numbers(left).map((part, index) => part - (other[index] ?? 0));
  return differences.find((difference) => difference !== 0) ?? 0;
}
