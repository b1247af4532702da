import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The repository. */
export const ROOT: string = fileURLToPath(new URL("../../", import.meta.url));

/** What is changed by a run, and told by a result: the sources of one folder, without those of folders in it. */
export interface Unit {
  /** For example `internals/json`. */
  name: string;
  /** From the root, with slashes. */
  files: readonly string[];
}

/** The packages whose sources are mutated. */
const PACKAGES = ["internals", "v15", "v16", "migrator"];

/** Nobody wrote these: `pnpm generate` did. */
const GENERATED = "internals/generated";

/** Every folder of sources, in the order of the names. */
export function units(root: string = ROOT): Unit[] {
  return PACKAGES.flatMap((name) => unitsBelow(root, name, join("packages", name, "src"))).filter(
    ({ name }) => name !== GENERATED,
  );
}

function unitsBelow(root: string, name: string, folder: string): Unit[] {
  const entries = readdirSync(join(root, folder), { withFileTypes: true }).toSorted((one, other) =>
    one.name < other.name ? -1 : 1,
  );
  const files = entries
    .filter((entry) => entry.isFile() && entry.name.endsWith(".ts") && !entry.name.endsWith(".d.ts"))
    .map((entry) => `${folder}/${entry.name}`);
  const below = entries.filter((entry) => entry.isDirectory());
  return [
    ...(files.length === 0 ? [] : [{ name, files }]),
    ...below.flatMap((entry) => unitsBelow(root, `${name}/${entry.name}`, `${folder}/${entry.name}`)),
  ];
}

/** Where a unit's result lies. */
export function resultFile(suite: string, unit: string, root: string = ROOT): string {
  return join(root, "mutation", "results", suite, `${unit.replaceAll("/", "_")}.json`);
}
