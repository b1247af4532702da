import { lstatSync } from "node:fs";

/** Sentences, without a full stop, on the archives that reports of earlier runs name and that are not there any more. */
export function archivesGone(reported: readonly string[]): string[] {
  return reported
    .filter((path) => lstatSync(path, { throwIfNoEntry: false }) === undefined)
    .map((path) => `The archive that a report names is gone: ${path}`);
}
