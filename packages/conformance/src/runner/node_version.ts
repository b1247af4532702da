import { gte } from "semver";

/**
 * Reason that this Node.js cannot run the suite, in one sentence, or undefined. The database driver crashes older
 * versions of Node.js without a message, so this is checked before the driver is loaded.
 */
export function nodeFault(version: string = process.versions.node): string | undefined {
  if (gte(version, "22.14.0-0")) return undefined;
  return `perdura-conformance requires Node.js 22.14 or newer, and this is Node.js ${version}.`;
}
