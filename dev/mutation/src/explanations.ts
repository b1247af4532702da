import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { LeftMutant } from "./report.ts";
import type { Suite } from "./sources.ts";

/** Why mutants that no test notices are left. */
export interface Explanation {
  /** The source file. */
  file: string;
  /** Declarations that contain the mutant: `StateDirectory.list`. */
  in: string;
  /** Identifies the replacement there; `pnpm mutation` prints it with each mutant that is left. */
  change: string;
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

/** An explanation refers to the place and the change, not to a line or a text: it outlives edits elsewhere in the file. */
export function explainer({ mutants }: Pick<Explanations, "mutants">): IsExplained {
  return (suite, left) =>
    mutants.some(
      (one) =>
        (suite === "conformance" || one.class !== OPEN) &&
        one.file === left.file &&
        one.in === left.in &&
        one.change === left.change,
    );
}
