import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Suite } from "./file_result.ts";
import type { LeftMutant } from "./left_mutant.ts";

/** Why mutants that nothing notices are left as they are. */
export interface Explanation {
  /** The source file. */
  file: string;
  /** Line and column, where the same text is replaced in several places. */
  at?: string;
  /** The text that was replaced, as results have it; with `became`, only this replacement. */
  was: string;
  became?: string;
  /** One of the classes. */
  class: string;
  why: string;
}

/** `dev/mutation/explained.json`: what the classes mean, and the mutants. */
export interface Explanations {
  classes: Record<string, string>;
  mutants: Explanation[];
}

export function readExplanations(root: string): Explanations {
  return JSON.parse(readFileSync(join(root, "dev", "mutation", "explained.json"), "utf8")) as Explanations;
}

type Place = Pick<LeftMutant, "at" | "was" | "became">;

/** An explanation outlives edits elsewhere in the file: it goes by the text, and by the line only where it must. */
export function explains(explanation: Explanation, file: string, { at, was, became }: Place): boolean {
  const same = explanation.became === undefined || explanation.became === became;
  const there = explanation.at === undefined || explanation.at === at;
  return explanation.file === file && explanation.was === was && same && there;
}

/** What the specification leaves open excuses its suite, and none of our own tests. */
const OPEN = "open";

/** Tells whether a mutant that a suite left is explained. */
export type IsExplained = (suite: Suite, file: string, left: Place) => boolean;

export function explainer(root: string): IsExplained {
  const { mutants } = readExplanations(root);
  return (suite, file, left) =>
    mutants.some((one) => (suite === "conformance" || one.class !== OPEN) && explains(one, file, left));
}
