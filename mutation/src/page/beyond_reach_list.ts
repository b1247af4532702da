import { basename } from "node:path";
import { isBeyondReach } from "../results/file_result.ts";
import { readFolder } from "../results/results_folder.ts";

/** The files that the conformance suite cannot reach, with their mutants. */
export function beyondReachList(root: string, sources: ReadonlyMap<string, readonly string[]>): string {
  const names = [...sources].flatMap(([folder, files]) => {
    const known = readFolder(root, folder);
    return files.flatMap((file) => {
      const result = known[basename(file)]?.conformance;
      return result && isBeyondReach(result) ? [`\`${file}\` (${result.no_coverage})`] : [];
    });
  });
  return names.length === 0 ? "None." : `${names.join(", ")}.`;
}
