import { realpathSync } from "node:fs";
import { relative } from "node:path";
import { readData } from "@perdura/migrator";
import { isAddress } from "@perdura/internals/text/addresses.js";
import { addDatabase, addLibrary, addStates, type Contents, noContents } from "@perdura/summary/contents.js";
import type { Summary } from "@perdura/summary/document.js";
import { SUMMARY_LIMITS, summaryOf } from "./summarize_data.ts";

/** One side of a comparison: contents under the paths below the target, and a summary. */
export interface Side {
  contents: Contents;
  summary: Summary;
}

/** Reads everything below a target, and keeps its databases readable for `use`, which reads their rows. */
export function withContents<Result>(
  target: string,
  schema: string | undefined,
  use: (side: Side) => Promise<Result>,
): Promise<Result> {
  return readData(target, { schema }, async (found) => {
    const contents = noContents();
    // Found paths are real ones.
    const root = isAddress(target) ? undefined : realpathSync(target);
    const below = (path: string): string => (root === undefined ? path : relative(root, path));
    const taken = new Set<string>();
    /** The path below the target; that of the database or library for its backup, if no other one has this name. */
    const nameOf = (path: string): string => {
      const name = below(found.backups.find((backup) => backup.path === path)?.of ?? path);
      if (taken.has(name)) return below(path);
      taken.add(name);
      return name;
    };
    const summary = await summaryOf(found, SUMMARY_LIMITS, {
      database: ({ path, read }, source) => addDatabase(contents, nameOf(path), source, read),
      library: (path) => {
        const backups = found.backups.filter(({ of }) => of === path).map((backup) => backup.path);
        return addLibrary(contents, nameOf(path), path, backups);
      },
      states: ({ of, read }) => addStates(contents, below(of), read()),
    });
    summary.unreadable.push(...contents.unreadable);
    return use({ contents: { ...contents, unreadable: summary.unreadable }, summary });
  });
}
