import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type LeftMutant, onOneLine } from "./report.ts";
import type { Suite } from "./sources.ts";

/** Why mutants that no test notices are left. */
export interface Explanation {
  /** The source file. */
  file: string;
  /** Line and column, where the same text is replaced in several places. */
  at?: string;
  /** The replaced text on one line, cut where it is long; with `became`, only this replacement. */
  was: string;
  became?: string;
  /** One of the classes. */
  class: string;
  why: string;
}

/** `dev/mutation/explained.json`. */
export interface Explanations {
  /** Meanings of the classes of explanations. */
  classes: Record<string, string>;
  /** Sources that implement what the specification leaves open; a folder ends with a slash. */
  left_open: { files: string[]; why: string }[];
  mutants: Explanation[];
}

export function readExplanations(root: string): Explanations {
  return JSON.parse(readFileSync(join(root, "dev", "mutation", "explained.json"), "utf8")) as Explanations;
}

/** Class of mutants that the specification permits: explained for the conformance suite, not for our own tests. */
const OPEN = "open";

/** True if a mutant that a suite left is explained. */
export type IsExplained = (suite: Suite, left: LeftMutant) => boolean;

/** An explanation outlives edits elsewhere in the file: it refers to the text, and to the line only if it must. */
export function explainer({ mutants }: Pick<Explanations, "mutants">): IsExplained {
  return (suite, { file, at, was, became }) =>
    mutants.some(
      (one) =>
        (suite === "conformance" || one.class !== OPEN) &&
        one.file === file &&
        one.was === was &&
        (one.became ?? became) === became &&
        (one.at ?? at) === at,
    );
}

/** Explanations of a text that the source no longer has. */
export function staleExplanations(
  mutants: readonly Explanation[],
  sourceOf: (file: string) => string | undefined,
): Explanation[] {
  const files = [...new Set(mutants.map(({ file }) => file))];
  const texts = new Map(files.map((file) => [file, onOneLine(sourceOf(file) ?? "")]));
  return mutants.filter(({ file, was }) => !texts.get(file)?.includes(was.replace(/…$/, "")));
}
