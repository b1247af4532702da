import type { Cleanup, HasSettings, Progress } from "../../core/run.ts";
import type { AskLevels } from "../../core/user_levels.ts";
import type { Workers } from "../../io/child/workers.ts";
import { stampOf } from "../../io/copy_database.ts";
import type { EarlyCopies } from "../../io/early_copy.ts";
import type { Inspection } from "./inspect_database.ts";

/** What a run knows of its databases, by path: each is inspected once, unless it changed since. */
export interface Inspections {
  readonly inspected: Map<string, Seen<Inspection>>;
  /** Gives the levels in the collaboration states that were found. */
  askLevels: AskLevels;
}

/** What was found in a database. */
export interface Seen<Found> {
  /** Changes with every change of the database; null where that could not be told. */
  stamp: string | null;
  found: Found;
}

/**
 * What was found in a database, if it is the same since. A transaction of the caller holds it still.
 *
 * @returns Undefined where it changed, and with a write-ahead log: its header does not count the changes there.
 */
export async function foundBefore<Found>(
  seen: Seen<Found> | undefined,
  path: string,
  run: Workers,
): Promise<Found | undefined> {
  if (seen === undefined || seen.stamp === null) return undefined;
  return seen.stamp === (await stampOf(path, run)) ? seen.found : undefined;
}

/** What work on a whole database needs of its run. */
export type DatabaseRun = Progress & HasSettings & Workers & Cleanup & Inspections & EarlyCopies;
