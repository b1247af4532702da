import { UnsupportedRuntimeError } from "../errors/errors.ts";

/** Minimum version of Node.js. */
export const MINIMUM_NODE = "22.14.0";

/**
 * Throws an error on a Node.js below the minimum. The database driver would end such a process without a message, so
 * this check runs before the driver is loaded.
 */
export function assertSupportedNode(version: string = process.versions.node): void {
  if (compareVersions(version, MINIMUM_NODE) < 0) {
    throw new UnsupportedRuntimeError(`perdura needs Node.js ${MINIMUM_NODE} or newer; this is Node.js ${version}.`);
  }
}

/**
 * Throws an error on a Node.js below the minimum, and on other runtimes: their child processes and directories differ
 * from those of Node.js. For calls that start child processes; the libraries run on Bun and Deno.
 *
 * @param versions Versions of the runtime; by default of the running one.
 */
export function assertNodeItself(versions: NodeJS.ProcessVersions = process.versions): void {
  assertSupportedNode(versions.node);
  const { bun, deno } = versions;
  const other = bun !== undefined ? `Bun ${bun}` : deno !== undefined ? `Deno ${deno}` : undefined;
  if (other !== undefined)
    throw new UnsupportedRuntimeError(
      `this call needs Node.js ${MINIMUM_NODE} or newer; this is ${other}. Nothing was changed.`,
    );
}

function compareVersions(left: string, right: string): number {
  const numbers = (version: string): number[] => version.split(".").map((each) => Number.parseInt(each, 10));
  const other = numbers(right);
  const differences = numbers(left).map((part, index) => part - (other[index] ?? 0));
  return differences.find((difference) => difference !== 0) ?? 0;
}
