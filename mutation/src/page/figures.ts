import { posix } from "node:path";
import { explains, readExplanations } from "../results/explanations.ts";
import { type FileResult, isBeyondReach, type Suite, SUITES, scoreOf } from "../results/file_result.ts";
import { readFolder } from "../results/results_folder.ts";
import { concerns } from "../sources.ts";
import { table } from "./markdown_table.ts";

type Cell = { results: FileResult[]; files: number };

/** The table of the page, from what is recorded: it changes only when results, explanations or the list of files do. */
export function figures(root: string, sources: ReadonlyMap<string, readonly string[]>): string {
  const { mutants } = readExplanations(root);
  const rows: string[][] = [];
  const sums: Record<Suite, Cell> = { conformance: { results: [], files: 0 }, whole: { results: [], files: 0 } };
  let unexplained = 0;
  for (const [folder, files] of sources) {
    const known = readFolder(root, folder);
    const results = (suite: Suite): FileResult[] => files.flatMap((file) => known[posix.basename(file)]?.[suite] ?? []);
    const open = files.flatMap((file) =>
      (known[posix.basename(file)]?.whole?.left ?? []).filter(
        (left) => !mutants.some((explanation) => explains(explanation, file, left)),
      ),
    ).length;
    if (SUITES.every((suite) => results(suite).length === 0)) continue;
    const cells = SUITES.map((suite) => {
      if (!concerns(suite, folder)) return "none of its concern";
      const counted = results(suite).filter((result) => suite === "whole" || !isBeyondReach(result));
      const beyond = results(suite).length - counted.length;
      sums[suite].results.push(...counted);
      sums[suite].files += files.length - beyond;
      return cell({ results: counted, files: files.length - beyond });
    });
    unexplained += open;
    rows.push([`\`${folder}\``, ...cells, results("whole").length === 0 ? "" : String(open)]);
  }
  const all = ["together", ...SUITES.map((suite) => cell(sums[suite])), String(unexplained)];
  return table(["folder", "conformance suite alone", "whole suite", "neither found nor explained"], [...rows, all]);
}

function cell({ results, files }: Cell): string {
  if (results.length === 0) return "not tried";
  const { found, of } = scoreOf(results);
  const part = results.length === files ? "" : `, ${results.length} of ${files} files`;
  // Rounded down: a figure is never better than what was seen.
  return `${of === 0 ? "no mutants" : `${(Math.floor((found * 1000) / of) / 10).toFixed(1)} % (${found} of ${of})`}${part}`;
}
