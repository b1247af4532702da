import { existsSync, lstatSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { FileNotFoundError } from "@perdura/internals/errors/errors.js";
import { numberedFiles } from "../placing/numbered_files.ts";
import type { Run } from "../run/run.ts";
import { classifyFile } from "./classify.ts";
import { ARCHIVE_SUFFIX, OWN_REASONS } from "./own_files.ts";
import { type Finds, walk } from "./walk.ts";

export interface FoundDatabase {
  path: string;
  bytes: number;
  /** In WAL mode by its header. */
  wal: boolean;
  /** Why it must not be opened for writing, or null. */
  refusal: string | null;
}

/** Everything that a run is about. */
export interface Discovery {
  databases: FoundDatabase[];
  stateDirectories: string[];
  leftAlone: { path: string; reason: string }[];
  refused: { path: string; reason: string }[];
  /** Files with names that perdura-migrate gives; see `excludedPaths` for those that are no part of the states. */
  own: string[];
  /** Directories of runs that are at work or were cut off; see `finishLeftovers`. */
  leftovers: string[];
  /** The directory that the report goes to. */
  home: string;
}

/**
 * Finds databases and state directories: a target is a file, a state directory, or a directory that holds either.
 * A target that is a symbolic link stands for what it leads to.
 *
 * @throws FileNotFoundError for a target that is not there.
 */
export async function discover(targets: readonly string[], run: Run): Promise<Discovery> {
  const finds: Finds = {
    candidates: new Map(),
    outwardLinks: [],
    stateDirectories: new Set(),
    leftovers: [],
    leftAlone: [],
    refused: [],
  };
  const homes = targets.map((target) => exploreGone(target, finds) ?? explore(realPath(target), finds));
  for (const directory of run.settings.stateDirectories) finds.stateDirectories.add(realpathSync(directory));
  const discovery: Discovery = {
    databases: [],
    stateDirectories: [...finds.stateDirectories],
    leftAlone: [...finds.leftAlone, ...finds.leftovers.map((path) => ({ path, reason: OWN_REASONS.temporary }))],
    refused: finds.refused,
    own: [],
    leftovers: finds.leftovers,
    home: homes[0] ?? process.cwd(),
  };
  // Links are looked into as well: what leads to a database outside is not passed over in silence.
  const headers = await run.files.headers([...finds.candidates.keys(), ...finds.outwardLinks]);
  const siblings = new Set(finds.candidates.keys());
  for (const header of headers) {
    classifyFile(
      header,
      {
        link: !finds.candidates.has(header.path),
        inStates: finds.candidates.get(header.path)?.inStates ?? false,
        siblings,
      },
      discovery,
    );
  }
  return discovery;
}

function realPath(target: string): string {
  const found = statSync(target, { throwIfNoEntry: false });
  if (found === undefined)
    throw new FileNotFoundError(`${target}: no such file or directory. Nothing was changed.`, {
      path: resolve(target),
    });
  return realpathSync(target);
}

/** A state directory that is gone, and of which there is an archive, can be named all the same. */
function exploreGone(target: string, finds: Finds): string | undefined {
  const place = dirname(resolve(target));
  if (lstatSync(target, { throwIfNoEntry: false }) !== undefined || !existsSync(place)) return undefined;
  const path = join(realpathSync(place), basename(resolve(target)));
  const archives = numberedFiles(`${path}.v15`, ARCHIVE_SUFFIX);
  for (const archive of archives) finds.candidates.set(archive, { inStates: false });
  return archives.length === 0 ? undefined : dirname(path);
}

/** Returns the directory beside which a report of this target lies; never inside a state directory. */
function explore(target: string, finds: Finds): string {
  const found = statSync(target);
  if (!found.isDirectory()) {
    if (found.isFile()) finds.candidates.set(target, { inStates: false });
    else finds.refused.push({ path: target, reason: "Neither a regular file nor a directory; it was not opened." });
    return dirname(target);
  }
  walk(target, finds);
  return finds.stateDirectories.has(target) ? dirname(target) : target;
}
