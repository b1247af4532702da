import { lstatSync } from "node:fs";
import { placeOf } from "@perdura/internals/files/place_of.js";
import { numberedFiles } from "../io/placing.ts";
import { ARCHIVE_SUFFIX } from "../io/own_files.ts";

/** A state directory that is not there any more, and what there is of it. */
export interface GoneStates {
  /** Where it was, by its real path. */
  directory: string;
  archives: string[];
}

/** A state directory that is gone, as after `prune`, while its archive lies beside its place; undefined for all else. */
export function goneStates(path: string): GoneStates | undefined {
  const directory = placeOf(path);
  if (directory === undefined || lstatSync(directory, { throwIfNoEntry: false }) !== undefined) return undefined;
  const archives = numberedFiles(`${directory}.v15`, ARCHIVE_SUFFIX);
  return archives.length === 0 ? undefined : { directory, archives };
}
