/**
 * Keeps the two lines apart: packages/v15 stays 15.x and packages/v16 is 16.x, so a changeset that asks for a major
 * version of either is refused. Run by `npm test`; accepts another repository's root as its argument.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { satisfies } from "semver";

const root = process.argv[2] ?? fileURLToPath(new URL("../../", import.meta.url));
const LINES = { v15: 15, v16: 16 };

const faults = Object.entries(LINES)
  .flatMap(([folder, major]) => versionFault(folder, major))
  .concat(majorChangesets());
for (const fault of faults) console.error(fault);
if (faults.length > 0) process.exitCode = 1;

function versionFault(folder: string, major: number): string[] {
  const manifest = JSON.parse(readFileSync(join(root, "packages", folder, "package.json"), "utf8")) as {
    version: string;
    publishConfig?: { name?: string };
  };
  const found: string[] = [];
  if (!satisfies(manifest.version, `${major}.x`, { includePrerelease: true }))
    found.push(`packages/${folder}: the version is ${manifest.version}, expected ${major}.x`);
  if (manifest.publishConfig?.name !== "perdura") found.push(`packages/${folder}: publishConfig.name must be perdura`);
  return found;
}

/** The front matter of a changeset has a line `"package": bump` for each package. */
function majorChangesets(): string[] {
  const folder = join(root, ".changeset");
  const files = existsSync(folder)
    ? readdirSync(folder).filter((name) => name.endsWith(".md") && name !== "README.md")
    : [];
  return files.flatMap((name) => {
    const [, matter = ""] = readFileSync(join(folder, name), "utf8").split(/^---$/m);
    return [...matter.matchAll(/^["']?@perdura\/(v1[56])["']?: *major$/gm)].map(
      ([, line]) => `.changeset/${name}: a major version of ${line} would leave its line; use minor or patch`,
    );
  });
}
