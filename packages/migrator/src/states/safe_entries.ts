import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { printable, quote } from "@perdura/internals/text/describe.js";
import { Stop } from "../stop.ts";
import { boundName, type EntryName, parentOf, shownName } from "./entry_name.ts";
import type { ArchivedEntry } from "./archived_entries.ts";

/** A name that leads out of the directory, or to no name at all. On Windows a backslash separates and a colon names a drive. */
const UNSAFE =
  process.platform === "win32" ? /(?:^|[/\\])(?:\.{0,2})(?:$|[/\\])|[\0:\\]/ : /(?:^|\/)\.{0,2}(?:$|\/)|\0/;

/** How the mode of each kind begins. */
const FORMATS: Readonly<Record<string, number>> = { file: 0o10, directory: 0o04, link: 0o12 };

/**
 * Makes a check that no entry of an archive, whoever made it, is written anywhere but in the directory that it belongs to:
 * every name stays below, and what it lies in is a directory of the archive, not a link.
 *
 * @returns Throws Stop, naming the entry and what is wrong with it.
 */
export function safetyCheck(archive: Database): (entry: ArchivedEntry) => void {
  const isDirectory = archive
    .prepare("SELECT 1 FROM entries WHERE name = CAST(? AS TEXT) AND kind = 'directory'")
    .pluck();
  let parent: EntryName = "";
  return (entry) => {
    if (UNSAFE.test(entry.name)) refuse(entry, "its name is no path below the directory");
    const format = FORMATS[entry.kind];
    if (format === undefined || !Number.isInteger(entry.mode) || entry.mode >> 12 !== format)
      refuse(entry, `its mode is not that of a ${printable(String(entry.kind))}`);
    if (entry.kind === "link" && (entry.data === null || entry.data.length === 0 || entry.data.includes(0)))
      refuse(entry, "a link has to lead somewhere");
    const lies = parentOf(entry.name);
    if (lies === parent) return;
    if (lies !== "" && isDirectory.get(boundName(lies)) === undefined)
      refuse(entry, "what it lies in is no directory of the archive");
    parent = lies;
  };
}

function refuse({ name }: ArchivedEntry, why: string): never {
  throw new Stop(
    "refused",
    `The archive has an entry ${quote(shownName(name))}, and ${why}. perdura-migrate does not make such archives; nothing of it was written.`,
  );
}
