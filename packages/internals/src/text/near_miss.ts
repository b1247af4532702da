/**
 * The known name that was most likely meant by another one, such as `persistence_path` by `persistance_path` or
 * `persistencePath`; undefined if none is similar.
 */
export function nearMiss(name: string, known: readonly string[]): string | undefined {
  const plain = plainName(name);
  const allowed = Math.max(1, Math.floor(plain.length / 5));
  // Short names differ in one letter although they mean something else: `node` and `code`.
  const isSimilar = (each: string): boolean => plain.length >= SHORT || each.startsWith(plain.charAt(0));
  const scored = known.map((each) => ({ each, edits: edits(plain, plainName(each)) }));
  return scored
    .filter(({ each, edits: found }) => found <= allowed && isSimilar(each))
    .toSorted((one, other) => one.edits - other.edits)[0]?.each;
}

/** Names with fewer letters are short. */
const SHORT = 6;

/** A name without case and separators. */
const plainName = (name: string): string => name.toLowerCase().replaceAll(/[_\s-]/g, "");

/** Number of letters to add, to remove or to change (Levenshtein). */
function edits(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [index, letter] of [...one].entries()) {
    const next = [index + 1];
    for (const [column, wanted] of [...other].entries()) {
      const changed = (row[column] as number) + (letter === wanted ? 0 : 1);
      next.push(Math.min(changed, (row[column + 1] as number) + 1, (next[column] as number) + 1));
    }
    row = next;
  }
  return row.at(-1) as number;
}
