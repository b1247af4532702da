import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../../../../packages/conformance/src/package_root.ts";
import type { Producer } from "./producers.ts";
import { WHAT } from "./what_it_is.ts";

/** One file of the manifest. */
interface ManifestEntry {
  path: string;
  sha256: string;
  bytes: number;
  producer: string;
  what: string;
}

/** Folder of the gold files. */
export const FILES: string = join(packageRoot(), "files");

/** Every gold file below a folder, sorted, with `/`. */
export function filesOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(folder.length + 1)
        .replaceAll("\\", "/"),
    )
    .toSorted();
}

/**
 * The text of `manifest.json`.
 * @param root the folder of all gold files.
 * @throws {Error} for a file without a description.
 */
export function manifestText(producers: readonly Producer[], root: string = FILES): string {
  const files = producers.flatMap((producer) =>
    filesOf(join(root, producer.folder)).map((name): ManifestEntry => entryOf(producer, name, root)),
  );
  return `${JSON.stringify({ manifest: 1, files }, null, 2)}\n`;
}

function entryOf(producer: Producer, name: string, root: string): ManifestEntry {
  const bytes = readFileSync(join(root, producer.folder, name));
  const what = WHAT[`${producer.folder}/${name}`] ?? WHAT[name];
  if (what === undefined) throw new Error(`what_it_is.ts does not say what ${producer.folder}/${name} is`);
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  return { path: `${producer.folder}/${name}`, sha256, bytes: bytes.length, producer: producer.words, what };
}
