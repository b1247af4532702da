import { posix } from "node:path";
import { explainer, type IsExplained } from "../results/explanations.ts";
import {
  type FileResult,
  reachedScoreOf,
  type Score,
  type Suite,
  SUITES,
  scoreOf,
  suiteScoreOf,
} from "../results/file_result.ts";
import { readFolder } from "../results/results_folder.ts";
import { concerns } from "../sources.ts";
import { table } from "../../../tools/pages/markdown_table.ts";

const HEAD = [
  "folder",
  "conformance suite alone",
  "what is left open not found",
  "of what it reaches",
  "of all mutants",
  "whole suite",
  "neither found nor explained",
];

/** What is known of some files. */
interface Known {
  /** By suite, how many files it concerns. */
  files: Record<Suite, number>;
  results: Record<Suite, { file: string; result: FileResult }[]>;
}

/** The table of the page, from what is recorded: it changes only when results, explanations or the list of files do. */
export function figures(root: string, sources: ReadonlyMap<string, readonly string[]>): string {
  const isExplained = explainer(root);
  const all: Known = { files: { conformance: 0, whole: 0 }, results: { conformance: [], whole: [] } };
  const rows: string[][] = [];
  for (const [folder, files] of sources) {
    const known = knownOf(root, folder, files);
    if (SUITES.every((suite) => known.results[suite].length === 0)) continue;
    rows.push([`\`${folder}\``, ...cells(known, isExplained)]);
    for (const suite of SUITES) {
      all.files[suite] += known.files[suite];
      all.results[suite].push(...known.results[suite]);
    }
  }
  return table(HEAD, [...rows, ["together", ...cells(all, isExplained)]]);
}

function knownOf(root: string, folder: string, files: readonly string[]): Known {
  const recorded = readFolder(root, folder);
  const known: Known = { files: { conformance: 0, whole: 0 }, results: { conformance: [], whole: [] } };
  for (const suite of SUITES) {
    const judged = files.filter((file) => concerns(suite, file));
    known.files[suite] = judged.length;
    for (const file of judged) {
      const result = recorded[posix.basename(file)]?.[suite];
      if (result) known.results[suite].push({ file, result });
    }
  }
  return known;
}

function cells({ files, results }: Known, isExplained: IsExplained): string[] {
  const { conformance, whole } = results;
  const told = (suite: Suite, score: Score): string => {
    if (files[suite] === 0) return "none of its concern";
    if (results[suite].length === 0) return "not tried";
    const part = results[suite].length === files[suite] ? "" : `, ${results[suite].length} of ${files[suite]} files`;
    return `${percent(score)}${part}${sampled(results[suite].map(({ result }) => result))}`;
  };
  const open = whole.flatMap(({ file, result }) => result.left.filter((left) => !isExplained("whole", file, left)));
  const bySuite = (excused: Suite): Score =>
    sum(conformance.map(({ file, result }) => suiteScoreOf(result, (left) => isExplained(excused, file, left))));
  return [
    told("conformance", bySuite("conformance")),
    // The whole suite is not excused for what the specification leaves open.
    conformance.length === 0 ? "" : percent(bySuite("whole")),
    ...[reachedScoreOf, scoreOf].map((scores) =>
      conformance.length === 0 ? "" : percent(sum(conformance.map(({ result }) => scores(result)))),
    ),
    told("whole", sum(whole.map(({ result }) => scoreOf(result)))),
    whole.length === 0 ? "" : String(open.length),
  ];
}

function sampled(results: readonly FileResult[]): string {
  const parts = new Set(results.map((result) => result.one_of ?? 1));
  if (parts.size > 1) return ", some by a sample";
  const [part = 1] = parts;
  return part === 1 ? "" : `, a sample of one in ${part}`;
}

function sum(scores: readonly Score[]): Score {
  const of = (part: keyof Score): number => scores.reduce((total, score) => total + score[part], 0);
  return { found: of("found"), of: of("of") };
}

/** Rounded down: a figure is never better than what was seen. */
function percent({ found, of }: Score): string {
  return of === 0 ? "no mutants" : `${(Math.floor((found * 1000) / of) / 10).toFixed(1)} % (${found} of ${of})`;
}
