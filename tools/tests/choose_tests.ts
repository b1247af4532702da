/** A file of tests that a change concerns. */
export interface Concerned {
  /** From the repository's root: `packages/backup/test/cli/prune.test.ts`. */
  file: string;
  /** How long it took the last time, in milliseconds; undefined where it was never run here. */
  took: number | undefined;
  /** It is itself what was changed, or it failed the last time. */
  first: boolean;
}

/**
 * Which files of tests to run where all of them take too long. First come those that were changed or failed, in any case;
 * then those that are called like what was changed, by folder and file; then the quickest.
 *
 * @param changed Files from the repository's root.
 * @param room How much time there is, in milliseconds of one process.
 */
export function chooseTests<Test extends Concerned>(
  concerned: readonly Test[],
  changed: readonly string[],
  room: number,
): Test[] {
  const names = changed.map(wordsOf);
  const likeness = new Map(concerned.map((test) => [test, likenessOf(wordsOf(test.file), names)]));
  const ordered = concerned.toSorted(
    (one, other) =>
      Number(other.first) - Number(one.first) ||
      (likeness.get(other) ?? 0) - (likeness.get(one) ?? 0) ||
      (one.took ?? 0) - (other.took ?? 0),
  );
  let left = room;
  return ordered.filter(({ first, took = 0 }) => {
    if (!first && took > Math.max(left, 0)) return false;
    left -= took;
    return true;
  });
}

/** How many words a name shares with the one of `names` that it shares most with. */
function likenessOf(words: ReadonlySet<string>, names: readonly ReadonlySet<string>[]): number {
  return Math.max(0, ...names.map((name) => [...name].filter((word) => words.has(word)).length));
}

/** `packages/backup/src/prune/keep_policy.ts` has `packages`, `backup`, `prune`, `keep` and `policy`. */
function wordsOf(file: string): Set<string> {
  const words = file.replace(/(?:\.test)?\.\w+$/, "").split(/[/_.-]/);
  return new Set(words.filter((word) => word !== "src" && word !== "test"));
}
