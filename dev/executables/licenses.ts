import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { NodeBinary } from "./node_binary.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

interface Manifest {
  name: string;
  version: string;
  license: string;
}

/** The name and licence of a package, for example `pg (MIT)`. */
export function namedLicense(folder: string): string {
  const { name, license } = manifestOf(folder);
  return `${name} (${license})`;
}

/**
 * The licences of all code in an executable.
 *
 * @param packages Folders of the packages inside.
 * @throws {Error} if a package has no licence text, without which it may not be passed on.
 */
export function licenseTexts(packages: readonly string[], node: NodeBinary): string {
  const parts = [
    ["perdura", readFileSync(join(root, "LICENSE"), "utf8")],
    ...packages.map((folder) => {
      const { name, version } = manifestOf(folder);
      return [`${name} ${version}`, textOf(folder)];
    }),
    ["SQLite", "In the public domain: https://sqlite.org/copyright.html"],
    [`Node.js ${node.version}`, readFileSync(node.license, "utf8")],
  ] as const;
  const line = "=".repeat(78);
  return parts.map(([title, text]) => `${line}\n${title}\n${line}\n\n${text.trim()}\n`).join("\n");
}

function manifestOf(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;
}

/** Some packages have their licence in the readme only. */
function textOf(folder: string): string {
  const file = readdirSync(folder).find((name) => /^licen[cs]e(?:\.|$)/i.test(name));
  if (file !== undefined) return readFileSync(join(folder, file), "utf8");
  const readme = join(folder, "README.md");
  const [, text] = /^#+ licen[cs]e$([\s\S]*?)(?=^#|$(?![\s\S]))/im.exec(
    existsSync(readme) ? readFileSync(readme, "utf8") : "",
  ) ?? [undefined, ""];
  if (!text.includes("Permission is hereby granted")) throw new Error(`${folder} has no licence text.`);
  return text;
}
