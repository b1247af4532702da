import { lstatSync, readdirSync, realpathSync } from "node:fs";
import { basename, dirname, join, parse, sep } from "node:path";

/**
 * Names of entries on file systems that take several spellings for one name: exFAT, NTFS, APFS and SMB ignore case, HFS+
 * and APFS also how Unicode is composed. Only the listing of a directory has the spelling; `realpath` on Linux gives back
 * what it was asked for.
 */

/**
 * True if a directory lists an entry under exactly this name, for a path at which `lstat` found something. The listing is
 * read only where {@link hasOtherSpelling} says so, so that the cost of a call is one `lstat` on most file systems of Linux.
 */
export function hasExactName(path: string): boolean {
  return !hasOtherSpelling(path) || readdirSync(dirname(path)).includes(basename(path));
}

/** True if another spelling of a name leads to something as well: to the same entry, or to one of its own. */
export function hasOtherSpelling(path: string): boolean {
  const directory = dirname(path);
  return otherSpellings(basename(path)).some((other) => isThere(join(directory, other)));
}

/**
 * The path of an existing file with links followed and each name as its directory lists it. `realpath` alone gives back
 * `METRICS.DB` for `metrics.db` on Linux where the file system ignores case, and backups would have that name.
 */
export function realPathOf(path: string): string {
  return listedPath(realpathSync(path));
}

/**
 * An absolute path with each name as its directory lists it. The name stays where nothing is there, and where this user may
 * not list the directory.
 */
export function listedPath(path: string): string {
  const { root } = parse(path);
  const names = path.slice(root.length).split(sep);
  return names.reduce((at, name) => join(at, spelledAsListed(join(at, name)) ?? name), root);
}

function spelledAsListed(path: string): string | undefined {
  try {
    return listedName(path);
  } catch (error) {
    if (["EACCES", "EPERM"].includes((error as NodeJS.ErrnoException).code ?? "")) return undefined;
    throw error;
  }
}

/**
 * The name that a directory lists for the entry at a path. Undefined where nothing is there, or nothing in the listing is
 * spelled like it; where several entries are, the one that is the same file.
 */
export function listedName(path: string): string | undefined {
  for (let looks = 0; looks < LOOKS; looks += 1) {
    if (!isThere(path)) return undefined;
    const found = hasExactName(path) ? basename(path) : alikeName(path);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Another process may replace the entry between a look at it and the listing. */
const LOOKS = 3;

function alikeName(path: string): string | undefined {
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

/** The foldings of file systems differ beyond ASCII: what differs least comes first. */
const FOLDS = [
  (name: string): string => name.normalize().toLowerCase(),
  (name: string): string => name.normalize("NFD").toUpperCase().toLowerCase().normalize(),
];

/** Spellings of which at least one leads to the same entry where a file system ignores case or composition. */
function otherSpellings(name: string): string[] {
  const swapped = name.replaceAll(/[a-z]+|[A-Z]+/g, (letters) =>
    letters < "a" ? letters.toLowerCase() : letters.toUpperCase(),
  );
  const isAscii = /^[\0-\x7f]*$/.test(name);
  const more = isAscii
    ? []
    : [name.toUpperCase(), name.toLowerCase(), ...(["NFC", "NFD"] as const).map((form) => name.normalize(form))];
  return [...new Set([swapped, ...more])].filter((other) => other !== name);
}

/** True if `lstat` finds something. A name that is longer than names can be leads to nothing. */
export function isThere(path: string): boolean {
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
