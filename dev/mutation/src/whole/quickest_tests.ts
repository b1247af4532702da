/** What it takes to start a file of tests, in milliseconds. */
const FILE_MS = 700;

/**
 * Chooses tests that take so long together: the quickest first, for a mutant that any test notices is found by some of
 * them, and one that none notices would take all of them.
 *
 * @param ids `file#name` each.
 * @param took How long each took without a mutant, in milliseconds.
 */
export function quickestTests(ids: readonly string[], took: ReadonlyMap<string, number>, limitMs: number): string[] {
  const files = new Set<string>();
  let sum = 0;
  const timed = ids.map((id) => ({ id, ms: took.get(id) ?? 0 })).sort((a, b) => a.ms - b.ms);
  const chosen = timed.filter(({ id, ms }) => {
    const file = id.slice(0, id.indexOf("#"));
    const more = ms + (files.has(file) ? 0 : FILE_MS);
    if (sum > 0 && sum + more > limitMs) return false;
    sum += more;
    files.add(file);
    return true;
  });
  return chosen.map(({ id }) => id);
}

/** How long the tests of the first stage take together, in milliseconds. */
const FIRST_MS = 5000;

/**
 * Chooses them in two stages. What hangs does so in the first one, where that is seen soon: how long one waits for a hang
 * depends on how long all tests of a stage should take.
 */
export function stagesOf(ids: readonly string[], took: ReadonlyMap<string, number>, limitMs: number): string[][] {
  const first = new Set(quickestTests(ids, took, Math.min(FIRST_MS, limitMs)));
  const rest = quickestTests(ids, took, limitMs).filter((id) => !first.has(id));
  return rest.length === 0 ? [[...first]] : [[...first], rest];
}

/** How long tests may take with a mutant before it counts as a hang, in milliseconds. */
export function limitFor(ids: readonly string[], took: ReadonlyMap<string, number>): number {
  const files = new Set(ids.map((id) => id.slice(0, id.indexOf("#"))));
  const sum = ids.reduce((all, id) => all + (took.get(id) ?? 0), files.size * FILE_MS);
  return 5000 + 3 * sum;
}
