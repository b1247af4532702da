import { resolve } from "node:path";
import {
  type FoundData,
  type ProgressEvent,
  type ReadableDatabase,
  readData,
  type StatesSource,
} from "@perdura/migrator";
import { countText } from "@perdura/cli/quantities.js";
import { isPerduraError } from "@perdura/internals/errors/errors.js";
import { limitsAmong } from "@perdura/internals/metrics/time_range.js";
import { assertOptions } from "@perdura/internals/text/options.js";
import type { Summary } from "@perdura/summary/document.js";
import type { SourceDatabase } from "@perdura/summary/source.js";
import type { ListLimits } from "@perdura/summary/summarize_metrics.js";
import { shownRange } from "@perdura/summary/shown_range.js";
import { summarizeDatabase, summarizeLibrary } from "@perdura/summary/summarize_sources.js";
import { summarizeStates } from "@perdura/summary/summarize_states.js";
import { PROGRAM } from "../version.ts";

/** Settings of {@link summarizeData}. */
export interface SummarizeOptions {
  /** Maximum number of users, patterns and states that are listed; 1000 by default. */
  rows?: number | undefined;
  /** Maximum number of users with a trust trajectory; 50 by default. */
  trajectories?: number | undefined;
  /** Longest wait for a database that another process holds, in milliseconds; 5,000 by default. */
  busyTimeoutMs?: number | undefined;
  /** The only schema to read in PostgreSQL; by default all schemas with tables of perdura. */
  schema?: string | undefined;
  /** The first moment whose interactions are counted: a Date, or text in UTC such as `2026-11-22`; all by default. */
  since?: Date | string | undefined;
  /** The first moment whose interactions are not counted any more; the same forms. */
  until?: Date | string | undefined;
  /** Receives the progress while the rows of a large database without sums are read. */
  onProgress?: ((event: ProgressEvent) => void) | undefined;
}

/**
 * Summarises all data below the targets: databases of both lines and of pre-16 programs, pattern libraries, state
 * directories and archives. Cannot write. A database that cannot be read is listed in `unreadable`.
 *
 * @param targets A file, a state directory, a directory that contains either, or an address that begins `postgres://`;
 *   or several.
 * @throws FileNotFoundError for a target that does not exist; ValidationError for a wrong argument; MissingPackageError
 *   if an address needs packages that are not installed; StorageError if the server cannot be reached.
 * @example
 * ```ts
 * const { databases } = await summarizeData("./data");
 * console.log(databases.map(({ line, metrics }) => `${line}: ${metrics?.operations}`)); // [ '16+: 3' ]
 * ```
 */
export function summarizeData(targets: string | readonly string[], options: SummarizeOptions = {}): Promise<Summary> {
  assertOptions("options", options, [
    "rows",
    "trajectories",
    "busyTimeoutMs",
    "schema",
    "since",
    "until",
    "onProgress",
  ]);
  const { rows = SUMMARY_LIMITS.rows, trajectories = SUMMARY_LIMITS.trajectories, since, until, ...reading } = options;
  const range = limitsAmong({ since, until });
  return readData(targets, reading, (found) => summaryOf(found, { rows, trajectories, range }));
}

/** Default lengths of the lists. */
export const SUMMARY_LIMITS: ListLimits = { rows: 1000, trajectories: 50 };

/** Largest number of states of one directory that are named because they cannot be read. */
const MOST_UNREADABLE = 20;

/** Further readers of what is summarised, called while it is open. */
interface Readers {
  database?: (found: ReadableDatabase, source: SourceDatabase) => Promise<void>;
  library?: (path: string) => Promise<void>;
  states?: (source: StatesSource) => void;
}

/** Summarises what was found. */
export async function summaryOf(found: FoundData, limits: ListLimits, also: Readers = {}): Promise<Summary> {
  const summary: Summary = {
    format: "perdura-summary-1",
    made_at: new Date().toISOString(),
    program: PROGRAM,
    targets: found.targets,
    range: shownRange(limits.range),
    databases: [],
    libraries: [],
    state_directories: [],
    archives: [],
    different_patterns: 0,
    backups: found.backups,
    left_alone: found.leftAlone,
    unreadable: [...found.unreadable],
  };
  const patternIds = new Set<string>();
  /** Adds an item, or the reason why it cannot be read. */
  const add = async (path: string, read: () => Promise<void> | void): Promise<void> => {
    try {
      await read();
    } catch (error) {
      if (!isPerduraError(error)) throw error;
      // Another path, such as the directory for temporary files, must be named.
      const isItem = error.path === undefined || resolve(error.path) === resolve(path);
      summary.unreadable.push({ path, reason: isItem ? error.reason : error.message });
    }
  };
  for (const database of found.databases)
    await add(database.path, () =>
      database.read(async (source) => {
        summary.databases.push(await summarizeDatabase(source, database.bytes, limits, patternIds));
        await also.database?.(database, source);
      }),
    );
  for (const path of found.libraries)
    await add(path, async () => {
      summary.libraries.push(summarizeLibrary(path, limits.rows, patternIds));
      await also.library?.(path);
    });
  summary.different_patterns = patternIds.size;
  for (const [list, sources] of [
    [summary.archives, found.archives],
    [summary.state_directories, found.stateDirectories],
  ] as const)
    for (const source of sources)
      await add(source.path, () => {
        const unreadable: Summary["unreadable"] = [];
        const states = summarizeStates(source.path, source.read(), limits.rows, ({ path, reason }) => {
          if (unreadable.length < MOST_UNREADABLE) unreadable.push({ path, reason: reason ?? "" });
        });
        list.push(states);
        summary.unreadable.push(...unreadable);
        const more = states.unreadable - unreadable.length;
        if (more > 0)
          summary.unreadable.push({ path: source.path, reason: `${countText(more, "more state")} cannot be read.` });
        also.states?.(source);
      });
  return summary;
}
