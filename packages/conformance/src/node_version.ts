/**
 * Why this Node cannot run the suite, in one sentence, or undefined when it can. The database driver ends the process
 * of an older Node without a word, so this is asked before the driver is loaded.
 */
export function nodeFault(version: string = process.versions.node): string | undefined {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  if (major > 22 || (major === 22 && minor >= 14)) return undefined;
  return `perdura-conformance needs Node 22.14 or newer, and this is Node ${version}.`;
}
