import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { schema } from "@stryker-mutator/api/core";
import { changeId, placesOf } from "./places.ts";
import type { Suite } from "./sources.ts";
import { wordsOfErrors } from "./words_of_errors.ts";

/** A mutant that no test noticed. */
export interface LeftMutant {
  file: string;
  /** Line and column of the replaced text, from 1. */
  at: string;
  /** Declarations that contain it, see `placesOf`. */
  in: string;
  /** Identifies the replacement, see `changeId`. */
  change: string;
  was: string;
  became: string;
  /** False if no test runs this code. */
  isReached: boolean;
  /** True if only what an error says or carries differs. */
  isWords: boolean;
}

/** Outcome of the mutants of a folder. A mutant with which the tests did not load is not counted. */
export interface Outcome {
  /** Killed by a failing test, or by a hang. */
  found: number;
  left: LeftMutant[];
}

type Report = schema.MutationTestResult;

/** Stryker's incremental report of a folder. */
export function reportFile(root: string, suite: Suite, folder: string): string {
  return join(root, "dev", "mutation", "results", suite, `${folder}.json`);
}

export function readReport(root: string, suite: Suite, folder: string): Report | undefined {
  const file = reportFile(root, suite, folder);
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Report) : undefined;
}

/**
 * @param files Stryker keeps results of other files that it tried before.
 * @param other A report of other tests: a mutant of the same source that these found is found.
 */
export function outcomeOf(report: Report, files: readonly string[], other?: Report): Outcome {
  const outcome: Outcome = { found: 0, left: [] };
  for (const [file, { source, mutants }] of Object.entries(report.files)) {
    if (!files.includes(file)) continue;
    const others = other?.files[file];
    const alsoFound = new Set(others?.source === source ? others.mutants.filter(isFound).map(keyOf) : []);
    const [isWords, placeOf] = [wordsOfErrors(source), placesOf(file, source)];
    for (const mutant of mutants) {
      if (isFound(mutant) || alsoFound.has(keyOf(mutant))) outcome.found += 1;
      else if (mutant.status === "Survived" || mutant.status === "NoCoverage") {
        const { start, end } = mutant.location;
        const [from, to] = [offsetOf(source, start), offsetOf(source, end)];
        const [was, became] = [shortened(source.slice(from, to)), shortened(mutant.replacement ?? "")];
        outcome.left.push({
          file,
          at: `${start.line}:${start.column}`,
          in: placeOf(from),
          change: changeId(was, became),
          was,
          became,
          isReached: mutant.status === "Survived",
          isWords: isWords(from, to),
        });
      }
    }
  }
  return outcome;
}

const isFound = ({ status }: schema.MutantResult): boolean => status === "Killed" || status === "Timeout";

const keyOf = ({ location, mutatorName, replacement }: schema.MutantResult): string =>
  JSON.stringify([location, mutatorName, replacement]);

/** Longer texts are whole blocks: their beginning says which. */
const LONGEST = 160;

/** On one line, and cut where it is long. */
function shortened(text: string): string {
  const line = onOneLine(text);
  return line.length <= LONGEST ? line : `${line.slice(0, LONGEST - 1)}…`;
}

const onOneLine = (text: string): string => text.replaceAll(/\s+/g, " ").trim();

function offsetOf(source: string, { line, column }: schema.Position): number {
  let offset = 0;
  for (let passed = 1; passed < line; passed += 1) offset = source.indexOf("\n", offset) + 1;
  return offset + column - 1;
}
