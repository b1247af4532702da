import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { logicalContent } from "./logical_content.ts";
import { FILES, filesOf, manifestText } from "./manifest.ts";
import { PRODUCERS, produce } from "./producers.ts";
import type { Producer } from "./producers.ts";
import { temporaryFolder } from "../../../../test/temporary_folder.ts";

/**
 * Differences between the gold files, their manifest, and files that their producers write now; empty if there are no
 * differences.
 * @param gold the folder of all gold files.
 */
export async function differences(gold: string = FILES): Promise<string[]> {
  const listed = readFileSync(join(gold, "manifest.json"), "utf8");
  const present = manifestText(PRODUCERS, gold);
  const found = listed === present ? [] : changedFiles(listed, present);
  const root = temporaryFolder();
  try {
    for (const producer of PRODUCERS.filter(({ available }) => available())) {
      await produce(producer, root);
      found.push(...differencesOf(producer, join(root, producer.folder), join(gold, producer.folder)));
    }
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
  return found;
}

function changedFiles(listed: string, present: string): string[] {
  const [before, now] = [checksums(listed), checksums(present)];
  const changed = [...new Set([...before.keys(), ...now.keys()])].filter((path) => before.get(path) !== now.get(path));
  return changed.length > 0
    ? changed.map((path) => `files/${path}: not the file that files/manifest.json lists`)
    : ["files/manifest.json: its words differ from what_it_is.ts"];
}

function checksums(manifest: string): Map<string, string> {
  const { files } = JSON.parse(manifest) as { files: { path: string; sha256: string }[] };
  return new Map(files.map(({ path, sha256 }) => [path, sha256]));
}

function differencesOf({ folder, expected, clock }: Producer, made: string, gold: string): string[] {
  const found = filesOf(made)
    .filter((name) => !name.endsWith("-wal"))
    .filter(
      (name) =>
        !existsSync(join(gold, name)) ||
        logicalContent(join(gold, name), clock) !== logicalContent(join(made, name), clock),
    )
    .map((name) => `files/${folder}/${name}: its producer writes something else now`);
  if (expected === undefined) return found;
  const stated = JSON.stringify(JSON.parse(readFileSync(join(gold, "expected.json"), "utf8")));
  return stated === JSON.stringify(expected)
    ? found
    : [...found, `files/${folder}/expected.json: it is computed otherwise`];
}
