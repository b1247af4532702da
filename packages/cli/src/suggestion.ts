/** The candidate that the user most likely meant by `word`, or undefined if none is similar. */
function nearest(word: string, candidates: readonly string[]): string | undefined {
  const allowed = Math.max(1, Math.floor(word.length / 3));
  const scored = candidates
    .map((candidate) => ({ candidate, distance: editsBetween(word.toLowerCase(), candidate.toLowerCase()) }))
    .filter(({ candidate, distance }) => distance <= allowed || isBeginning(word, candidate))
    .toSorted((one, other) => one.distance - other.distance);
  return scored[0]?.candidate;
}

/** Text such as ` Did you mean --fence?`; empty if no candidate is similar. */
export function suggestion(word: string, candidates: readonly string[], before = ""): string {
  const found = nearest(word, candidates);
  return found === undefined ? "" : ` Did you mean ${before}${found}?`;
}

function isBeginning(word: string, candidate: string): boolean {
  return word.length > 2 && candidate.toLowerCase().startsWith(word.toLowerCase());
}

/** Number of letters that have to be added, removed, changed or swapped with their neighbour. */
function editsBetween(one: string, other: string): number {
  const rows: number[][] = [Array.from({ length: other.length + 1 }, (_unused, column) => column)];
  for (let row = 1; row <= one.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= other.length; column += 1) {
      const same = one[row - 1] === other[column - 1];
      // Before the first letter both are undefined, and equal to no letter.
      const swapped = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      current.push(
        Math.min(
          at(rows, row - 1, column) + 1,
          (current[column - 1] ?? 0) + 1,
          at(rows, row - 1, column - 1) + (same ? 0 : 1),
          swapped ? at(rows, row - 2, column - 2) + 1 : Infinity,
        ),
      );
    }
    rows.push(current);
  }
  return at(rows, one.length, other.length);
}

function at(rows: readonly number[][], row: number, column: number): number {
  return (rows[row] as number[])[column] as number;
}
