import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { explainer, type IsExplained, readExplanations } from "./explanations.ts";
import { type LeftMutant, type Outcome, outcomeOf, readReport } from "./report.ts";
import type { Suite } from "./sources.ts";

/** When and of what a figure was measured. */
interface Measured {
  /** The day. */
  measured: string;
  /** Output of `git describe`; absent in measurements of the former program. */
  commit?: string;
  /** Number of tried files, as in `13 of 16`; absent if all were tried. */
  files?: string;
  /** One mutant of so many was tried; there where it was not all. */
  one_of?: number;
}

/** Number of mutants that the conformance suite found, and four counts of mutants, each including the one before. */
export interface ConformanceFigures extends Measured {
  found: number;
  /** Those that cases reach and that are not the words of an error nor explained. */
  determined: number;
  /** The same, and those that only the open specification explains. */
  asked: number;
  /** All that cases reach. */
  reached: number;
  all: number;
}

/** Mutants that the suite or the tests of the packages found. */
export interface WholeFigures extends Measured {
  found: number;
  all: number;
  /** Neither found nor explained. */
  open: number;
}

export interface FolderFigures {
  conformance?: ConformanceFigures;
  whole?: WholeFigures;
}

/** `dev/mutation/figures.json`: by folder, what its last complete run measured. */
export type Figures = Record<string, FolderFigures>;

const fileOf = (root: string): string => join(root, "dev", "mutation", "figures.json");

export function readFigures(root: string): Figures {
  return JSON.parse(readFileSync(fileOf(root), "utf8")) as Figures;
}

/**
 * Replaces the figures of a folder by those of a complete run on these files, and returns what is neither found nor
 * explained.
 * @param commit says what was measured.
 */
export function measure(
  root: string,
  folder: string,
  suite: Suite,
  files: readonly string[],
  commit: string,
): LeftMutant[] {
  const isExplained = explainer(readExplanations(root));
  const conformance = readReport(root, "conformance", folder);
  const report = suite === "conformance" ? conformance : readReport(root, suite, folder);
  if (!report) throw new Error(`Stryker wrote no report of ${folder} for --suite ${suite}`);
  const outcome = outcomeOf(report, files, conformance);
  const open = openOf(suite, outcome, isExplained);
  const measured = { measured: new Date().toISOString().slice(0, 10), commit };
  const own: FolderFigures =
    suite === "whole"
      ? { whole: { ...measured, ...counts(outcome), open: open.length } }
      : { conformance: { ...measured, ...conformanceCounts(outcome, isExplained) } };
  const figures = readFigures(root);
  const { conformance: first, whole: second } = { ...figures[folder], ...own };
  const all = { ...figures, [folder]: { ...(first && { conformance: first }), ...(second && { whole: second }) } };
  const sorted = Object.entries(all).sort(([a], [b]) => (a < b ? -1 : 1));
  writeFileSync(fileOf(root), `${JSON.stringify(Object.fromEntries(sorted), null, 2)}\n`);
  return open;
}

/** Mutants that a suite neither found nor is excused for. */
export function openOf(suite: Suite, { left }: Outcome, isExplained: IsExplained): LeftMutant[] {
  return left.filter((one) => !isExplained(suite, one) && (suite === "whole" || (one.isReached && !one.isWords)));
}

const counts = ({ found, left }: Outcome) => ({ found, all: found + left.length });

/** The counts of {@link ConformanceFigures}. */
export function conformanceCounts(outcome: Outcome, isExplained: IsExplained) {
  const { found, all } = counts(outcome);
  const countWith = (isIncluded: (one: LeftMutant) => boolean): number =>
    found + outcome.left.filter((one) => one.isReached && isIncluded(one)).length;
  return {
    found,
    determined: countWith((one) => !one.isWords && !isExplained("conformance", one)),
    asked: countWith((one) => !one.isWords && !isExplained("whole", one)),
    reached: countWith(() => true),
    all,
  };
}
