import { readdirSync } from "node:fs";
import { join, posix } from "node:path";
import { isLeftOpen } from "./left_open.ts";
import type { Suite } from "./results/file_result.ts";

/** Everything that is mutated. What is generated has no author whose tests could be tested. */
const ROOTS = [
  "packages/v15/src",
  "packages/v16/src",
  "packages/internals/src",
  "packages/cli/src",
  "packages/migrator/src",
];
const isGenerated = (file: string): boolean => file.split("/").includes("generated");

/** What the conformance suite judges: a line, that is both packages and what they load. The migrator is another program, and the kit is for programs. */
const LINES = ["packages/v15/src/", "packages/v16/src/", "packages/internals/src/"];

/** Whether a suite says anything about a source file. */
export function concerns(suite: Suite, file: string): boolean {
  return suite === "whole" || (LINES.some((top) => file.startsWith(top)) && !isLeftOpen(file));
}

/** The sources of every folder that has some, both in the order of their names, from the repository's root. */
export function sourceFolders(root: string): Map<string, string[]> {
  const folders = new Map<string, string[]>();
  for (const top of ROOTS) {
    const files = readdirSync(join(root, top), { recursive: true, encoding: "utf8" })
      .map((name) => posix.join(top, name.replaceAll("\\", "/")))
      .filter((file) => file.endsWith(".ts") && !isGenerated(file))
      .sort();
    for (const file of files) {
      const folder = posix.dirname(file);
      folders.set(folder, [...(folders.get(folder) ?? []), file]);
    }
  }
  return folders;
}

/**
 * The folders that somebody asks for by a name of theirs, or of a folder above; all without a name.
 * @throws {Error} for a name that is no folder of sources.
 */
export function chosenFolders(all: readonly string[], asked: readonly string[]): string[] {
  if (asked.length === 0) return [...all];
  const plain = asked.map((name) => posix.normalize(name.replaceAll("\\", "/")).replace(/\/$/, ""));
  for (const name of plain)
    if (!all.some((folder) => folder === name || folder.startsWith(`${name}/`)))
      throw new Error(`${name} is no folder of sources that are mutated; these are: ${ROOTS.join(", ")}`);
  return all.filter((folder) => plain.some((name) => folder === name || folder.startsWith(`${name}/`)));
}
