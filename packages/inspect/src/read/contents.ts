import { realpathSync } from "node:fs";
import { relative } from "node:path";
import { readData } from "@perdura/migrator";
import { isAddress } from "@perdura/internals/text/addresses.js";
import { addDatabase, addLibrary, addStates, type Contents, noContents } from "@perdura/summary/contents.js";
import type { Summary } from "@perdura/summary/document.js";
import { SUMMARY_LIMITS, summaryOf } from "./summarize_data.ts";

/** Reads everything below a target once: contents to compare, under the paths below it, and a summary. */
export function contentsOf(target: string, schema?: string): Promise<{ contents: Contents; summary: Summary }> {
  return readData(target, { schema }, async (found) => {
    const contents = noContents();
    // Found paths are real ones.
    const nameOf = (path: string): string => (isAddress(target) ? path : relative(realpathSync(target), path));
    const summary = await summaryOf(found, SUMMARY_LIMITS, {
      database: (path, source) => addDatabase(contents, nameOf(path), source),
      library: (path) => {
        const backups = found.backups.filter(({ of }) => of === path).map((backup) => backup.path);
        return addLibrary(contents, nameOf(path), path, backups);
      },
      states: ({ read }) => addStates(contents, read()),
    });
    return { contents: { ...contents, unreadable: summary.unreadable }, summary };
  });
}
