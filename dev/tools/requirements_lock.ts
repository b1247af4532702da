import { readFileSync } from "node:fs";
import { join } from "node:path";
import { loadRequirements } from "../../packages/conformance/src/corpus/requirements.ts";
import { packageRoot } from "../../packages/conformance/src/package_root.ts";

/** The list of frozen ids, with those of new requirements; an id that is in the list stays there. */
export function requirementsLock(): [file: string, text: string] {
  const file = join(packageRoot(), "requirements.lock.json");
  const { description, ids } = JSON.parse(readFileSync(file, "utf8")) as { description: string; ids: string[] };
  const all = [...new Set([...ids, ...loadRequirements().keys()])].toSorted();
  return [file, `${JSON.stringify({ description, ids: all }, null, 2)}\n`];
}
