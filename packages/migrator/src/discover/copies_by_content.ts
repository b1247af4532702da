import type { Workers } from "../io/child/workers.ts";
import type { HasSettings, Progress } from "../core/run.ts";
import { statSync } from "node:fs";
import { basename, dirname } from "node:path";
import { lastBackup } from "../io/copy_database.ts";
import type { Discovery, FoundDatabase } from "../core/discovery.ts";
import { type DatabaseFile, type Outline, outlineOf, shareIn } from "./same_content.ts";
import { GIVEN_NAME } from "./unreadable.ts";

/** A database, or what it was before it was migrated. */
interface Candidate extends Outline {
  file: DatabaseFile;
  /** The database that is found; its backup is compared in its place where it was migrated. */
  path: string;
  isMeant: boolean;
}

/**
 * Finds the operator's own safety copies that no name tells: databases with the same rows, ids included, as another one that was
 * found, or had before it was migrated; beside it also those that it grew from. Nothing is read where there is one database only.
 *
 * @param isMeant True for what is no copy, whatever it holds.
 * @returns By path, of which database it is a copy.
 */
export async function copiesByContent(
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
      // Of two with the same rows the first is the original.
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

/** A database under a name that programs open is never a copy of one under another name, which may hold its rows and more. */
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

/** First what was meant, then what has a name that programs give, then what is older. */
function byOrigin(one: Candidate, other: Candidate): number {
  return (
    Number(other.isMeant) - Number(one.isMeant) ||
    Number(hasGivenName(other)) - Number(hasGivenName(one)) ||
    statSync(one.path).mtimeMs - statSync(other.path).mtimeMs ||
    one.path.length - other.path.length ||
    (one.path < other.path ? -1 : 1)
  );
}
