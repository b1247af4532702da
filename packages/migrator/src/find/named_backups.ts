import { dirname } from "node:path";
import { realPathOf } from "@perdura/internals/files/exact_names.js";
import { allBackupsOf } from "../io/copy_database.ts";
import { ARCHIVE_SUFFIX, directoryOfArchive, databaseOfBackup } from "../io/own_files.ts";
import { numberedFiles } from "../io/placing.ts";
import { statsOf } from "../io/stats_of.ts";

/** Targets of a command that looks at the data of the backups and archives that the caller named. */
export interface NamedBackups {
  /** The targets; a named backup or archive is replaced by the file or directory that it was made from, if it exists. */
  targets: readonly string[];
  /** Named backups and archives of each file and directory, oldest first. */
  of: ReadonlyMap<string, readonly string[]>;
  /** The directories of named archives. */
  directories: readonly string[];
}

/** Finds what named backups and archives were made from: next to them, and by their names. */
export function findNamedBackups(targets: readonly string[]): NamedBackups {
  const of = new Map<string, readonly string[]>();
  const directories: string[] = [];
  const named = new Set(targets.map(placeOfExisting));
  const searched = targets.map((target) => {
    const place = placeOfExisting(target);
    const source = place === undefined ? undefined : sourceOf(place);
    if (source === undefined) return target;
    of.set(
      source.path,
      source.all.filter((path) => named.has(path)),
    );
    const found = statsOf(source.path);
    if (source.isDirectory && found?.isDirectory() === true) directories.push(source.path);
    return (source.isDirectory ? found?.isDirectory() : found?.isFile()) === true ? source.path : target;
  });
  return { targets: [...new Set(searched)], of, directories };
}

function placeOfExisting(target: string): string | undefined {
  return statsOf(target)?.isFile() === true ? realPathOf(target) : undefined;
}

/** The source of a backup or archive with this path, and all backups or archives of it there; undefined for others. */
function sourceOf(place: string): { path: string; all: readonly string[]; isDirectory: boolean } | undefined {
  const [database, directory] = [databaseOfBackup(place), directoryOfArchive(place)];
  const sources = [
    {
      path: database,
      // A backup directory may be the directory of the database.
      all: [...allBackupsOf(database, null), ...allBackupsOf(database, dirname(place))],
      isDirectory: false,
    },
    { path: directory, all: numberedFiles(`${directory}.v15`, ARCHIVE_SUFFIX), isDirectory: true },
  ];
  return sources.find(({ path, all }) => path !== place && all.includes(place));
}
