import { posix } from "node:path";
import { hashOf } from "./file_result.ts";
import { identityOf, keyOf, type TestedMutant } from "./left_mutant.ts";
import { readFolder } from "./results_folder.ts";

/** Says which mutants of a file the conformance suite killed; none where it has no result of this very source. */
export function killedBySuite(root: string, file: string, source: string): (mutant: TestedMutant) => boolean {
  const result = readFolder(root, posix.dirname(file))[posix.basename(file)]?.conformance;
  if (result?.sha256 !== hashOf(source) || result.error > 0 || result.one_of !== undefined) return () => false;
  const left = new Set(result.left.map(keyOf));
  return (mutant) => !left.has(keyOf(identityOf(source, mutant)));
}
