import { lstatSync, readdirSync, realpathSync } from "node:fs";
import { basename, dirname, join, parse, sep } from "node:path";

/**
 * Names on file systems that accept several spellings of one name: exFAT, NTFS, APFS and SMB ignore case; HFS+ and APFS
 * also ignore how Unicode is composed. Only the listing of a directory has the stored spelling; `realpath` on Linux
 * returns the spelling of its argument.
 */

/**
 * True if a directory lists an entry under exactly this name. `lstat` must have found an entry at the path. The
 * directory is only listed if {@link hasOtherSpelling} is true, so that a call usually costs one `lstat` on Linux.
 */
export function hasExactName(path: string): boolean {
  return !hasOtherSpelling(path) || readdirSync(dirname(path)).includes(basename(path));
}

/** True if another spelling of the name also leads to an entry, the same one or a different one. */
export function hasOtherSpelling(path: string): boolean {
  const directory = dirname(path);
  return otherSpellings(basename(path)).some((other) => entryExists(join(directory, other)));
}

/**
 * The path of an existing file, with links followed and each name spelled as its directory lists it. On Linux,
 * `realpath` alone returns `METRICS.DB` for `metrics.db` if the file system ignores case, and backups would get that
 * name.
 */
export function realPathOf(path: string): string {
  return listedPath(realpathSync(path));
}

/**
 * An absolute path with each name spelled as its directory lists it. A name is unchanged if no entry exists, or if this
 * user may not list the directory.
 */
export function listedPath(path: string): string {
  const { root } = parse(path);
  const names = path.slice(root.length).split(sep);
  return names.reduce((at, name) => join(at, listedNameIfReadable(join(at, name)) ?? name), root);
}

function listedNameIfReadable(path: string): string | undefined {
  try {
    return listedName(path);
  } catch (error) {
    if (["EACCES", "EPERM"].includes((error as NodeJS.ErrnoException).code ?? "")) return undefined;
    throw error;
  }
}

/**
 * The name under which a directory lists the entry at a path. Undefined if the path has no entry, or if no listed name
 * is a spelling of it. If several are, the name of the same file.
 */
export function listedName(path: string): string | undefined {
  for (let looks = 0; looks < MAX_TRIES; looks += 1) {
    if (!entryExists(path)) return undefined;
    const found = hasExactName(path) ? basename(path) : similarName(path);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Maximum number of attempts: another process may replace the entry between `lstat` and the listing. */
const MAX_TRIES = 3;

function similarName(path: string): string | undefined {
  const [directory, name] = [dirname(path), basename(path)];
  const names = readdirSync(directory);
  for (const fold of FOLDS) {
    const alike = names.filter((each) => fold(each) === fold(name));
    if (alike.length === 1) return alike[0];
    const same = alike.find((each) => isSameFile(join(directory, each), path));
    if (same !== undefined) return same;
  }
  return undefined;
}

/** Case foldings of file systems, which differ beyond ASCII; the one that makes fewest names equal comes first. */
const FOLDS = [
  (name: string): string => name.normalize().toLowerCase(),
  (name: string): string => name.normalize("NFD").toUpperCase().toLowerCase().normalize(),
];

/**
 * Other spellings of a name. If a file system ignores case or composition, at least one of them leads to the same
 * entry.
 */
function otherSpellings(name: string): string[] {
  const swapped = name.replaceAll(/[a-z]+|[A-Z]+/g, (letters) =>
    letters < "a" ? letters.toLowerCase() : letters.toUpperCase(),
  );
  const isAscii = /^[\0-\x7f]*$/.test(name);
  const more = isAscii
    ? []
    : [name.toUpperCase(), name.toLowerCase(), ...(["NFC", "NFD"] as const).map((norm) => name.normalize(norm))];
  return [...new Set([swapped, ...more])].filter((other) => other !== name);
}

/** True if `lstat` finds an entry. A name that is too long for the file system has no entry. */
export function entryExists(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENAMETOOLONG") return false;
    throw error;
  }
}

function isSameFile(left: string, right: string): boolean {
  const [one, other] = [left, right].map((path) => lstatSync(path, { bigint: true, throwIfNoEntry: false }));
  return one !== undefined && one.ino === other?.ino && one.dev === other.dev;
}
