/** A file of tests that a change affects. */
export interface AffectedTest {
  /** Path from the repository's root: `packages/backup/test/cli/prune.test.ts`. */
  file: string;
  /** Duration of its last run, in milliseconds; undefined if it never ran here. */
  durationMs: number | undefined;
  /** True if the file itself was changed, or failed in its last run. */
  mustRun: boolean;
}

/** Assumed for a file that never ran here, in milliseconds: about the mean of all files. */
const UNKNOWN_MS = 2000;

/**
 * Selects the files of tests to run if all of them take too long: those that must run, whatever their duration; then
 * those whose folders and names have most words in common with a changed file; then the quickest.
 *
 * @param changed Files from the repository's root.
 * @param budgetMs The maximum sum of durations, in milliseconds.
 */
export function selectTests<Test extends AffectedTest>(
  affected: readonly Test[],
  changed: readonly string[],
  budgetMs: number,
): Test[] {
  const changedWords = changed.map(wordsOf);
  const ordered = affected
    .map((test) => ({ test, common: mostInCommon(wordsOf(test.file), changedWords) }))
    .toSorted(
      (one, other) =>
        Number(other.test.mustRun) - Number(one.test.mustRun) ||
        other.common - one.common ||
        durationOf(one.test) - durationOf(other.test),
    );
  let left = budgetMs;
  return ordered
    .map(({ test }) => test)
    .filter((test) => {
      if (!test.mustRun && durationOf(test) > Math.max(left, 0)) return false;
      left -= durationOf(test);
      return true;
    });
}

export const durationOf = ({ durationMs = UNKNOWN_MS }: Pick<AffectedTest, "durationMs">): number => durationMs;

/** Maximum number of words that a test has in common with a changed file. */
function mostInCommon(words: ReadonlySet<string>, changed: readonly ReadonlySet<string>[]): number {
  return Math.max(0, ...changed.map((others) => [...others].filter((word) => words.has(word)).length));
}

/** `packages/backup/src/prune/keep_policy.ts` has `packages`, `backup`, `prune`, `keep` and `policy`. */
function wordsOf(file: string): Set<string> {
  const words = file.replace(/(?:\.test)?\.\w+$/, "").split(/[/_.-]/);
  return new Set(words.filter((word) => word !== "src" && word !== "test"));
}
