import { countText } from "@perdura/cli/quantities.js";
import { writtenUserId } from "@perdura/internals/state/written_user_id.js";
import type { Database } from "@perdura/internals/sqlite/open_database.js";
import type { StateDirectoryReport } from "../../core/report.ts";
import { type EntryName, nameFromBytes, shownName } from "../tree/entry_name.ts";
import type { Listing, Survey } from "./listing.ts";
import { FileReader } from "../tree/read_file.ts";
import type { Entry, Tick } from "../tree/walk_tree.ts";
import {
  brokenState,
  type Companion,
  directoryCompanion,
  isState,
  isStateFile,
  readState,
  type StateReading,
  userOf,
} from "../format/state_file.ts";

/** A row of the table of states. */
interface UserState extends StateReading {
  user: EntryName;
}

/** Far more than any state needs; a bigger file is kept as bytes and not parsed. */
const MAX_STATE_BYTES = 16 * 1024 * 1024;

/** Reads a state file for the table of states. A link is kept as a link; its target is not part of the directory. */
export function readingOf(
  root: string,
  { name, kind }: Pick<Entry, "name" | "kind">,
  content: Buffer,
  companion: Companion,
): UserState {
  const path = `${root}/${shownName(name)}`;
  const isParsed = kind !== "link" && content.length <= MAX_STATE_BYTES;
  const user = userOf(name, companion, () => (isParsed ? writtenUserId(content, path) : undefined));
  if (kind === "link")
    return {
      user,
      ...brokenState(`a symbolic link to ${content.toString("utf8")}; the link is archived, its target is not`),
    };
  if (!isParsed)
    return {
      user,
      ...brokenState(
        `${content.length} bytes, more than the maximum of ${MAX_STATE_BYTES} for a state; archived unchanged`,
      ),
    };
  return { user, ...readState(content, shownName(user), path) };
}

/** Maximum number of states with unusual values, and of broken ones, that a report lists. */
const NAMED = 1000;

/** States with a reason; the list is limited, the count is not. */
interface Named {
  states: { file: string; reason: string }[];
  count: number;
}

/** Numbers of states. */
export interface StateCounts {
  ok: number;
  unusual: Named;
  broken: Named;
}

/**
 * Counts states for a report, which lists a limited number of those with unusual values and of broken ones, and the
 * number of the others.
 */
export class StateCounter {
  readonly counts: StateCounts = { ok: 0, unusual: { states: [], count: 0 }, broken: { states: [], count: 0 } };

  add(file: EntryName, { status, reason }: Pick<StateReading, "status" | "reason">): void {
    if (status === "ok") this.counts.ok += 1;
    if (reason === null) return;
    const into = status === "broken" ? this.counts.broken : this.counts.unusual;
    into.count += 1;
    if (into.states.length < NAMED) into.states.push({ file: shownName(file), reason });
  }

  putInto(report: StateDirectoryReport): void {
    const { ok, unusual, broken } = this.counts;
    report.states_ok = ok;
    report.states_unusual = unusual.states;
    report.states_broken = broken.states;
    for (const [{ count }, what] of [
      [unusual, "with unusual values"],
      [broken, "that cannot be read"],
    ] as const)
      if (count > NAMED)
        report.notes.push(`not listed: ${countText(count - NAMED, "more state", "more states")} ${what}`);
  }
}

/** Counts the states in an archive. */
export function countArchived(report: StateDirectoryReport, archive: Database): void {
  const counter = new StateCounter();
  const rows = archive
    .prepare("SELECT CAST(file AS BLOB) AS file, status, reason FROM states ORDER BY file")
    .iterate() as IterableIterator<{ file: Buffer; status: "ok" | "broken"; reason: string | null }>;
  for (const { file, status, reason } of rows) counter.add(nameFromBytes(file), { status, reason });
  counter.putInto(report);
}

/** Reads and counts all states of a directory for a report. Closes the listing. */
export async function countStates(report: StateDirectoryReport, listing: Listing, tick: Tick): Promise<void> {
  try {
    const counter = new StateCounter();
    const reader = new FileReader();
    const companion = directoryCompanion(report.path);
    putSurvey(report, listing.survey);
    let done = 0;
    for (const entry of listing.entries()) {
      const content = isStateFile(entry) ? reader.content(report.path, entry) : null;
      if (isState(entry, content)) counter.add(entry.name, readingOf(report.path, entry, content, companion));
      done += 1;
      if (done % 1000 === 0) await tick(done, listing.survey.entries);
    }
    if (done % 1000 !== 0) await tick(done, listing.survey.entries);
    counter.putInto(report);
  } finally {
    listing.close();
  }
}

/** Puts the numbers into a report that need no reading of files. */
export function putSurvey(report: StateDirectoryReport, { entries, bytes }: Survey): void {
  report.entries = entries;
  report.bytes = bytes;
}
