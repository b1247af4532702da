import { readdirSync } from "node:fs";
import { join, posix } from "node:path";

/** The tests of a mutant: the cases of the conformance suite, or the tests of the packages. */
export const SUITES = ["conformance", "whole"] as const;
export type Suite = (typeof SUITES)[number];

/** Folders that the conformance suite can judge: the lines. */
const LINES = ["packages/v15/src", "packages/v16/src", "packages/internals/src"];
const ROOTS = [...LINES, "packages/cli/src", "packages/migrator/src"];

/** @param leftOpen files and folders of what the specification leaves open: the conformance suite does not judge them. */
export function concerns(suite: Suite, file: string, leftOpen: readonly string[]): boolean {
  const isOpen = leftOpen.some((name) => file === name || (name.endsWith("/") && file.startsWith(name)));
  return suite === "whole" || (LINES.some((top) => file.startsWith(`${top}/`)) && !isOpen);
}

/** The sources of every folder, except for generated ones; names start at the root of the repository, and are sorted. */
export function sourceFolders(root: string): Map<string, string[]> {
  const files = ROOTS.flatMap((top) =>
    readdirSync(join(root, top), { recursive: true, encoding: "utf8" })
      .map((name) => posix.join(top, name.replaceAll("\\", "/")))
      .filter((file) => file.endsWith(".ts") && !file.split("/").includes("generated"))
      .sort(),
  );
  return Map.groupBy(files, (file) => posix.dirname(file));
}

/**
 * Folders with one of these names, or below one; all without a name.
 * @throws {Error} for a name that is not a folder of sources.
 */
export function chosenFolders(all: readonly string[], names: readonly string[]): string[] {
  if (names.length === 0) return [...all];
  const plain = names.map((name) => posix.normalize(name.replaceAll("\\", "/")).replace(/\/$/, ""));
  const isIn = (folder: string, name: string): boolean => folder === name || folder.startsWith(`${name}/`);
  for (const name of plain)
    if (!all.some((folder) => isIn(folder, name)))
      throw new Error(`${name} is not a folder of mutated sources; expected a folder in ${ROOTS.join(", ")}`);
  return all.filter((folder) => plain.some((name) => isIn(folder, name)));
}
