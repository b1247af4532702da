import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { freshFolder } from "../fresh_folder.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** A file of the index: the hash of its content, and its path. */
const ENTRY = /^100\d{3} ([0-9a-f]{40}) 0\t(.*)$/;

test("a checkout with the settings of Git for Windows has the committed bytes", () => {
  const folder = freshFolder();
  const git = (...words: string[]): string => execFileSync("git", words, { cwd: root, encoding: "utf8" });
  git("-c", "core.autocrlf=true", "checkout-index", "--all", `--prefix=${folder}${sep}`);
  const entries = git("ls-files", "--stage", "-z")
    .split("\0")
    .flatMap((line) => [ENTRY.exec(line) ?? []]);
  const changed = entries
    .filter(([, hash, path]) => hash !== undefined && hash !== blobHash(join(folder, path as string)))
    .map(([, , path]) => path);
  expect(entries.length).toBeGreaterThan(1000);
  expect(changed).toEqual([]);
});

/** The name that Git gives to this content. */
function blobHash(file: string): string {
  const content = readFileSync(file);
  return createHash("sha1").update(`blob ${content.length}\0`).update(content).digest("hex");
}
