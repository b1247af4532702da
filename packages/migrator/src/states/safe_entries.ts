import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { printable, quote } from "@perdura/internals/text/describe.js";
import { Stop } from "../core/stop.ts";
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
 * @returns Says what is wrong with an entry, if anything. For a link its content is needed.
 */
export function danger(archive: Database): (entry: ArchivedEntry) => string | undefined {
  const isDirectory = archive
    .prepare("SELECT 1 FROM entries WHERE name = CAST(? AS TEXT) AND kind = 'directory'")
    .pluck();
  let parent: EntryName = "";
  return (entry) => {
    if (UNSAFE.test(entry.name)) return "its name is no path below the directory";
    const format = FORMATS[entry.kind];
    if (format === undefined || !Number.isInteger(entry.mode) || entry.mode >> 12 !== format)
      return `its mode is not that of a ${printable(String(entry.kind))}`;
    if (entry.kind === "link" && (entry.data === null || entry.data.length === 0 || entry.data.includes(0)))
      return "a link has to lead somewhere";
    const lies = parentOf(entry.name);
    if (lies === parent) return undefined;
    if (lies !== "" && isDirectory.get(boundName(lies)) === undefined)
      return "what it lies in is no directory of the archive";
    parent = lies;
    return undefined;
  };
}

/** Makes the same check, which throws Stop, naming the entry and what is wrong with it. */
export function safetyCheck(archive: Database): (entry: ArchivedEntry) => void {
  const dangerOf = danger(archive);
  return (entry) => {
    const why = dangerOf(entry);
    if (why === undefined) return;
    throw new Stop(
      "refused",
      `The archive has an entry ${quote(shownName(entry.name))}, and ${why}. perdura-migrate does not make such archives; nothing of it was written.`,
    );
  };
}
