import { lstatSync, statSync } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import { FileNotFoundError } from "@perdura/internals/errors/errors.js";
import { withStorage } from "@perdura/internals/files/storage_errors.js";
import { realPathOf } from "@perdura/internals/files/exact_names.js";
import { irregularKind } from "@perdura/internals/files/irregular_kind.js";
import { placeOf } from "@perdura/internals/files/place_of.js";
import { orphanedLog } from "@perdura/internals/sqlite/orphaned_log.js";
import { isTemporaryFor } from "../archive/format/archive_place.ts";
import type { Discovery } from "../core/discovery.ts";
import type { HasSettings } from "../core/options.ts";
import type { Progress } from "../core/progress.ts";
import type { FileLeftAlone } from "../core/report.ts";
import type { Workers } from "../io/child/workers.ts";
import { someEntry } from "../io/entries.ts";
import { lastBackup } from "../io/copy_database.ts";
import { ARCHIVE_SUFFIX, databaseOfBackup, ownKind } from "../io/own_files.ts";
import { numberedFiles } from "../io/placing.ts";
import { classifyFile, describeOwn, refuseUnreadable } from "./classify.ts";
import { missingStates } from "./lost.ts";
import type { NamedBackups } from "./named_backups.ts";
import { addCandidate, type Finds, isUnnameable, walk } from "./walk.ts";

/**
 * Finds databases and state directories: a target is a file, a state directory, or a directory that contains either. A
 * target that is a symbolic link means its destination.
 *
 * @param backups What the backups and archives among the targets were made from, if the command looks at that.
 * @throws FileNotFoundError for a target that does not exist.
 */
export async function discover(
  targets: readonly string[],
  run: Progress & HasSettings & Workers,
  backups?: NamedBackups,
): Promise<Discovery> {
  const named = [...run.settings.stateDirectories, ...(backups?.directories ?? [])];
  const there = named.filter((directory) => missingStates(directory) === undefined).map(realPathOf);
  const finds: Finds = {
    candidates: new Map(),
    outwardLinks: [],
    named: new Set(there),
    stateDirectories: new Set(),
    leftovers: [],
    leftAlone: [],
    refused: [],
  };
  const homes = targets.map(
    (target) => exploreMissing(target, finds) ?? exploreLog(target, finds) ?? explore(realPath(target), finds),
  );
  for (const directory of named) exploreMissing(directory, finds);
  // A database in one of them is not part of the states, even if no target contains it.
  for (const directory of there) if (!finds.stateDirectories.has(directory)) walk(directory, finds);
  const discovery: Discovery = {
    targets,
    namedBackups: backups?.of ?? new Map(),
    databases: [],
    libraries: [],
    stateDirectories: [...finds.stateDirectories],
    leftAlone: [...finds.leftAlone, ...finds.leftovers.map((path) => ({ path, ...describeLeftover(path) }))],
    refused: finds.refused,
    unreadable: new Map(),
    own: [],
    leftovers: finds.leftovers,
    home: homes[0] ?? process.cwd(),
  };
  // Reads links as well: one to a database outside of the target must be reported.
  const headers = await run.files.headers([...finds.candidates.keys(), ...finds.outwardLinks]);
  const siblings = new Set(finds.candidates.keys());
  const { backupDir } = run.settings;
  const backedUp = new Set([...siblings].filter((path) => ownKind(basename(path)) === "backup").map(databaseOfBackup));
  for (const header of headers) {
    classifyFile(
      header,
      {
        link: !finds.candidates.has(header.path),
        inStates: finds.candidates.get(header.path)?.inStates ?? false,
        isTarget: finds.candidates.get(header.path)?.isTarget ?? false,
        siblings,
        backedUp,
        backupDir,
      },
      discovery,
    );
  }
  refuseUnreadable(discovery, backupDir);
  const { databases, libraries, stateDirectories } = discovery;
  // A single item cannot be a copy of another one.
  if (databases.length + libraries.length + stateDirectories.length < 2) return discovery;
  const { leaveCopiesAlone } = await import("./likely_copies.ts");
  const directories = new Set([...there, ...targets.flatMap((target) => placeOf(target) ?? [])]);
  await leaveCopiesAlone(
    discovery,
    (path) =>
      directories.has(path) ||
      finds.candidates.get(path)?.isTarget === true ||
      lastBackup(path, backupDir) !== undefined ||
      numberedFiles(`${path}.v15`, ARCHIVE_SUFFIX).length > 0,
    run,
  );
  return discovery;
}

/** The operator may look for the remains of a prune. */
function describeLeftover(leftover: string): Omit<FileLeftAlone, "path"> {
  if (!isTemporaryFor(basename(leftover), "pruned")) return describeOwn("temporary");
  return {
    reason:
      "the rest of a state directory that prune is removing or was removing when it was interrupted; all of it is archived, and the next run removes it",
  };
}

function realPath(target: string): string {
  return withStorage(target, "reading", () => {
    if (statSync(target, { throwIfNoEntry: false }) !== undefined) return realPathOf(target);
    const link = lstatSync(target, { throwIfNoEntry: false });
    const what = link !== undefined ? "a dangling symbolic link" : missingText(resolve(target));
    throw new FileNotFoundError(`${what}. Nothing was changed.`, { subject: target, path: resolve(target) });
  });
}

function missingText(path: string): string {
  if (isUnnameable(path))
    return "a name in this path is not valid UTF-8, so it cannot be read; rename that file or directory first";
  return hasOtherComposition(path)
    ? "no such file or directory; the directory has this name with letters composed differently in Unicode, so copy the name from its listing"
    : "no such file or directory";
}

/** True if the directory has the name as another system composes its letters: macOS stores `é` as `e` and an accent. */
function hasOtherComposition(path: string): boolean {
  try {
    return someEntry(dirname(path), ({ name }) => name.normalize() === basename(path).normalize());
  } catch {
    return false;
  }
}

/** A missing state directory can be named if it has an archive. */
function exploreMissing(target: string, finds: Finds): string | undefined {
  const gone = missingStates(target);
  for (const archive of gone?.archives ?? []) addCandidate(archive, finds, false);
  return gone === undefined ? undefined : dirname(gone.directory);
}

/** A missing or empty database can be named while its log exists. */
function exploreLog(target: string, finds: Finds): string | undefined {
  const log = withStorage(target, "reading", () => orphanedLog(target));
  if (log !== undefined) addCandidate(log, finds, false);
  return log === undefined ? undefined : dirname(log);
}

/** Returns the directory in which the report on this target is saved; never within a state directory. */
function explore(target: string, finds: Finds): string {
  const found = statSync(target);
  if (!found.isDirectory()) {
    const kind = irregularKind(found);
    if (kind === undefined) addCandidate(target, finds, false, true);
    else finds.refused.push({ path: target, reason: `Expected a file or a directory, found ${kind}.` });
    return dirname(target);
  }
  walk(target, finds);
  return finds.stateDirectories.has(target) ? dirname(target) : target;
}
