import { realpathSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { FileNotFoundError } from "@perdura/internals/errors/errors.js";
import type { Run } from "../run/run.ts";
import { classifyFile } from "./classify.ts";
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
    leftAlone: [],
    refused: [],
  };
  const homes = targets.map((target) => explore(realPath(target), finds));
  for (const directory of run.settings.stateDirectories) finds.stateDirectories.add(realpathSync(directory));
  const discovery: Discovery = {
    databases: [],
    stateDirectories: [...finds.stateDirectories],
    leftAlone: finds.leftAlone,
    refused: finds.refused,
    own: [],
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
