/**
 * How many files one run of Stryker gets. Before each run all tests run once, so more is faster; a file is recorded only
 * after its last mutant, and mutants of code that runs when it is loaded come last of all, so less is safer.
 */
const FILES = 30;

/**
 * Puts neighbouring folders together, as long as the same tests concern them; a folder stays whole.
 * @param every One mutant of so many is tried: a run then gets as many more files.
 */
export function portions(
  folders: readonly (readonly string[])[],
  sameTests: (a: string, b: string) => boolean,
  every: number,
): string[][] {
  const all: string[][] = [];
  for (const files of folders) {
    const last = all.at(-1);
    const [first] = files;
    if (first === undefined) continue;
    if (last?.[0] !== undefined && last.length + files.length <= FILES * every && sameTests(last[0], first))
      last.push(...files);
    else all.push([...files]);
  }
  return all;
}
