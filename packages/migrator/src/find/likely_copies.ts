import { statSync } from "node:fs";
import { basename, dirname, extname, join } from "node:path";
import type { Discovery, FoundDatabase } from "../core/discovery.ts";
import type { HasSettings } from "../core/options.ts";
import type { Progress } from "../core/progress.ts";
import type { Workers } from "../io/child/workers.ts";
import { lastBackup } from "../io/copy_database.ts";
import { GIVEN_NAME } from "./classify.ts";
import { type DatabaseFile, type Outline, outlineOf, shareIn } from "./same_content.ts";

/**
 * Marks of a copy before the suffix: `metrics (copy).db`, `metrics-old.db`, `metrics 2026-01-31.db`,
 * `metrics.sync-conflict-….db`.
 */
const BEFORE_ENDING =
  /^(.+?) ?(?:\([^()]+\)|[ ._-]+(?:copy|kopie|copie|copia|old|orig|original|bak|backup|save|conflict(?:ed)?(?:[ -]copy)?)(?:[ ._-]?\d+)?|[ ._-]\d{4}-?\d\d-?\d\d(?:[T._ -]?[\d:.-]+)?|\.sync-conflict-[\w-]+)$/i;

const IN_FRONT = /^copy (?:\(\d+\) )?of (.+)$/i;

/** Maximum number of successive marks: `metrics - Copy (2).db`. */
const MOST_MARKS = 3;

/** Possible original names of a copy, the nearest first. */
export function originalNames(name: string): string[] {
  const found: string[] = [];
  let left = [name];
  for (let marks = 0; marks < MOST_MARKS; marks += 1) {
    left = left.flatMap(withoutMark);
    found.push(...left);
  }
  return [...new Set(found)];
}

/** Marks that people and programs append to the name of a copied file: `metrics.db.bak`, `metrics.db~`. */
const BEHIND =
  /^(.+?)(?:~|\.(?:bak|backup|copy|old|orig|save)\d*|[._-]\d{4}-?\d\d-?\d\d(?:[T._ -]?[\d:.-]+)?|\.\d{1,3})$/i;

function withoutMark(name: string): string[] {
  const ending = extname(name);
  const stem = name.slice(0, name.length - ending.length);
  const [, before] = BEFORE_ENDING.exec(stem) ?? [];
  return [
    BEHIND.exec(name)?.[1],
    IN_FRONT.exec(name)?.[1],
    before === undefined ? undefined : `${before}${ending}`,
  ].filter((original) => original !== undefined);
}

/**
 * Leaves the operator's own safety copies alone: databases, JSON libraries and state directories whose name is that of
 * a copy of another one in the same directory, and databases whose content is a copy of another one. Targets, and data
 * that were migrated before, stay.
 *
 * @param isMeant True for targets, and for data with a backup or an archive.
 */
export async function leaveCopiesAlone(
  discovery: Discovery,
  isMeant: (path: string) => boolean,
  run: Progress & HasSettings & Workers,
): Promise<void> {
  const byName = [discovery.databases.map(({ path }) => path), discovery.libraries, discovery.stateDirectories].flatMap(
    (paths) => [...copiesAmong(new Set(paths), isMeant)],
  );
  for (const [path, original] of byName)
    leaveAlone(discovery, path, `by its name a copy of ${basename(original)} in the same directory`);
  for (const [path, original] of await copiesByContent(discovery, isMeant, run))
    leaveAlone(discovery, path, `by its content a copy of ${original}, which has all of its rows`);
}

function leaveAlone(discovery: Discovery, copy: string, what: string): void {
  const isOther = (path: string): boolean => path !== copy;
  discovery.databases = discovery.databases.filter(({ path }) => isOther(path));
  discovery.libraries = discovery.libraries.filter(isOther);
  discovery.stateDirectories = discovery.stateDirectories.filter(isOther);
  discovery.leftAlone = discovery.leftAlone.filter(({ path }) => isOther(path));
  discovery.leftAlone.push({ path: copy, reason: `${what}; to migrate it as well, specify it as a target` });
}

/** The copies among some paths, with their originals. */
function copiesAmong(paths: ReadonlySet<string>, isMeant: (path: string) => boolean): Map<string, string> {
  const copies = new Map<string, string>();
  for (const path of paths) {
    if (isMeant(path)) continue;
    const places = originalNames(basename(path)).map((name) => join(dirname(path), name));
    const original = places.find((place) => paths.has(place));
    if (original !== undefined) copies.set(path, original);
  }
  return copies;
}

/** A database, or its state before its migration. */
interface Candidate extends Outline {
  file: DatabaseFile;
  /** The database that was found; if it was migrated, its backup is compared as well. */
  path: string;
  isMeant: boolean;
}

/**
 * Finds the operator's own safety copies that have other names: databases whose rows, including ids, are all in another
 * one that was found, or were in it before its migration; in the same directory also earlier states of it. Reads
 * nothing if there is only one database.
 *
 * @param isMeant True for databases that never count as copies.
 * @returns The original of each copy, by path.
 */
async function copiesByContent(
  discovery: Discovery,
  isMeant: (path: string) => boolean,
  run: Progress & HasSettings & Workers,
): Promise<Map<string, string>> {
  const { databases } = discovery;
  const found = new Map<string, string>();
  if (databases.length < 2 || databases.every(({ path }) => isMeant(path))) return found;
  const unordered: Candidate[] = [];
  for (const database of databases) unordered.push(...(await candidatesOf(database, isMeant, run)));
  const candidates = unordered.toSorted(byOrigin);
  for (const [index, copy] of candidates.entries()) {
    if (copy.isMeant) continue;
    const others = candidates.filter((other) => canBeCopy(copy, other));
    for (const other of others.toSorted((one, two) => Number(isBeside(two, copy)) - Number(isBeside(one, copy)))) {
      const share = await shareIn(other.file, copy.file, run);
      // Of two with the same rows, the first is the original.
      const isCopy =
        share === "all" ? isBeside(copy, other) : share === "all, and no more" && candidates.indexOf(other) < index;
      if (!isCopy) continue;
      found.set(copy.path, other.path);
      break;
    }
  }
  return found;
}

async function candidatesOf(
  { path, wal, refusal }: FoundDatabase,
  isMeant: (path: string) => boolean,
  run: Progress & HasSettings & Workers,
): Promise<Candidate[]> {
  if (refusal !== null) return [];
  const backup = lastBackup(path, run.settings.backupDir);
  const files = [{ path, wal }, ...(backup === undefined ? [] : [{ path: backup, wal: false }])];
  const outlined = files.map(async (file) => ({ file, outline: await outlineOf(file, run) }));
  return (await Promise.all(outlined)).flatMap(({ file, outline }) =>
    outline === undefined ? [] : [{ ...outline, file, path, isMeant: isMeant(path) }],
  );
}

/**
 * A database with a name that programs open is never a copy of one with another name, even if that one has all of its
 * rows.
 */
function canBeCopy(copy: Candidate, other: Candidate): boolean {
  const isOther = other.path !== copy.path && other.beginning === copy.beginning;
  const isNear = copy.hasHistory || isBeside(copy, other);
  return isOther && isNear && (hasGivenName(other) || !hasGivenName(copy));
}

function isBeside(one: Candidate, other: Candidate): boolean {
  return dirname(one.path) === dirname(other.path);
}

function hasGivenName({ path }: Candidate): boolean {
  return GIVEN_NAME.test(basename(path));
}

/** Sorts intended databases first, then names that programs give, then older files. */
function byOrigin(one: Candidate, other: Candidate): number {
  return (
    Number(other.isMeant) - Number(one.isMeant) ||
    Number(hasGivenName(other)) - Number(hasGivenName(one)) ||
    statSync(one.path).mtimeMs - statSync(other.path).mtimeMs ||
    one.path.length - other.path.length ||
    (one.path < other.path ? -1 : 1)
  );
}
