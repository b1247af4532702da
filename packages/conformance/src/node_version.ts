import { gte } from "semver";

/**
 * Why this Node cannot run the suite, in one sentence, or undefined when it can. The database driver ends the process
 * of an older Node without a word, so this is asked before the driver is loaded.
 */
export function nodeFault(version: string = process.versions.node): string | undefined {
  if (gte(version, "22.14.0-0")) return undefined;
  return `perdura-conformance needs Node 22.14 or newer, and this is Node ${version}.`;
}
