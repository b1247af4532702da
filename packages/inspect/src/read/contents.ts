import { realpathSync } from "node:fs";
import { relative } from "node:path";
import { readData } from "@perdura/migrator";
import { addDatabase, addLibrary, addStates, type Contents, noContents } from "@perdura/summary/contents.js";
import type { Summary } from "@perdura/summary/document.js";
import { SUMMARY_LIMITS, summaryOf } from "./summarize_data.ts";

/** Reads everything below a target once: contents to compare, under the paths below it, and a summary. */
export function contentsOf(target: string): Promise<{ contents: Contents; summary: Summary }> {
  return readData(target, {}, async (found) => {
    const contents = noContents();
    // Found paths are real ones.
    const nameOf = (path: string): string => relative(realpathSync(target), path);
    const summary = await summaryOf(found, [target], SUMMARY_LIMITS, {
      database: (path, source) => addDatabase(contents, nameOf(path), source),
      library: (path) => {
        const backups = found.backups.filter(({ of }) => of === path).map((backup) => backup.path);
        addLibrary(contents, nameOf(path), path, backups);
      },
      states: ({ read }) => addStates(contents, read()),
    });
    return { contents: { ...contents, unreadable: summary.unreadable }, summary };
  });
}
