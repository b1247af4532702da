import { basename, posix } from "node:path";
import { concerns } from "../sources.ts";
import { explainer } from "./explanations.ts";
import { type Suite, SUITES } from "./file_result.ts";
import { readFolder } from "./results_folder.ts";
import { standingOf } from "./staleness.ts";

/** Source files whose mutants were not tried on a suite that concerns them, as `suite: file`. */
export function notTried(root: string, sources: ReadonlyMap<string, readonly string[]>): string[] {
  return withStanding(root, sources, "missing");
}

/** The same for files that were edited since. */
export function stale(root: string, sources: ReadonlyMap<string, readonly string[]>): string[] {
  return withStanding(root, sources, "stale");
}

function withStanding(
  root: string,
  sources: ReadonlyMap<string, readonly string[]>,
  wanted: ReturnType<typeof standingOf>,
): string[] {
  return SUITES.flatMap((suite: Suite) =>
    [...sources].flatMap(([folder, files]) =>
      files
        .filter((file) => concerns(suite, file) && standingOf(root, folder, file, suite) === wanted)
        .map((file) => `${suite}: ${file}`),
    ),
  );
}

/** Whether all tests left mutants of a file that nobody explained. */
export function hasOpen(root: string, file: string): boolean {
  const isExplained = explainer(root);
  const result = readFolder(root, posix.dirname(file))[basename(file)]?.whole;
  return result?.left.some((left) => !isExplained("whole", file, left)) ?? false;
}

/** Files that have a result and exist no more. */
export function leftBehind(
  root: string,
  recorded: readonly string[],
  sources: ReadonlyMap<string, readonly string[]>,
): string[] {
  return recorded.flatMap((folder) => {
    const present = new Set((sources.get(folder) ?? []).map((file) => basename(file)));
    return Object.keys(readFolder(root, folder))
      .filter((name) => !present.has(name))
      .map((name) => posix.join(folder, name));
  });
}
