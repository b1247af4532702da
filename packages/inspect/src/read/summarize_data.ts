import { statSync } from "node:fs";
import { type FoundData, readData, type ReadableDatabase } from "@perdura/migrator";
import { isPerduraError } from "@perdura/internals/errors/errors.js";
import { PatternPersistence } from "@perdura/internals/patterns/persistence.js";
import type { DatabaseSummary, LibrarySummary, Summary } from "@perdura/summary/document.js";
import type { QuarantinedRow } from "@perdura/summary/source_database.js";
import { type ListLimits, summarizeMetrics } from "@perdura/summary/summarize_metrics.js";
import { summarizePatterns } from "@perdura/summary/summarize_patterns.js";
import { summarizeStates } from "@perdura/summary/summarize_states.js";
import { VERSION } from "../version.ts";

/** Settings of {@link summarizeData}. */
export interface SummarizeOptions {
  /** Maximum number of users, patterns and states that are listed; 1000 by default. */
  rows?: number | undefined;
  /** Maximum number of users with a trust trajectory; 50 by default. */
  trajectories?: number | undefined;
  /** Longest wait for a database that another process holds, in milliseconds; 30,000 by default. */
  busyTimeoutMs?: number | undefined;
}

/**
 * Summarises all data below the targets: databases of both lines and of pre-16 programs, pattern libraries, state
 * directories and archives. Cannot write. A database that cannot be read is listed in `unreadable`.
 *
 * @param targets A file, a state directory, or a directory that contains either; or several.
 * @throws FileNotFoundError for a target that does not exist.
 * @example
 * ```ts
 * const { databases } = await summarizeData("./data");
 * console.log(databases.map(({ line, metrics }) => `${line}: ${metrics?.operations}`)); // [ '16+: 3' ]
 * ```
 */
export function summarizeData(targets: string | readonly string[], options: SummarizeOptions = {}): Promise<Summary> {
  const { rows = 1000, trajectories = 50, busyTimeoutMs } = options;
  const list = typeof targets === "string" ? [targets] : targets;
  return readData(list, { busyTimeoutMs }, (found) => summaryOf(found, list, { rows, trajectories }));
}

async function summaryOf(found: FoundData, targets: readonly string[], limits: ListLimits): Promise<Summary> {
  const summary: Summary = {
    format: "perdura-summary-1",
    made_at: new Date().toISOString(),
    program: `perdura-inspect ${VERSION}`,
    targets: [...targets],
    databases: [],
    libraries: [],
    state_directories: [],
    archives: [],
    backups: found.backups,
    left_alone: found.leftAlone,
    unreadable: [...found.unreadable],
  };
  /** Adds an item, or the reason why it cannot be read. */
  const add = async (path: string, read: () => Promise<void> | void): Promise<void> => {
    try {
      await read();
    } catch (error) {
      if (!isPerduraError(error)) throw error;
      summary.unreadable.push({ path, reason: error.reason });
    }
  };
  for (const database of found.databases)
    await add(database.path, async () => void summary.databases.push(await databaseSummary(database, limits)));
  for (const path of found.libraries)
    await add(path, () => void summary.libraries.push(librarySummary(path, limits.rows)));
  for (const { path, read } of found.stateDirectories)
    await add(path, () => void summary.state_directories.push(summarizeStates(path, read(), limits.rows)));
  for (const { path, read } of found.archives)
    await add(path, () => void summary.archives.push(summarizeStates(path, read(), limits.rows)));
  return summary;
}

function databaseSummary({ path, bytes, read }: ReadableDatabase, limits: ListLimits): Promise<DatabaseSummary> {
  return read(({ line, layout, metrics, patterns, quarantine }) => {
    const found = patterns?.("null");
    return {
      path,
      bytes,
      line,
      layout,
      metrics: metrics === null ? null : summarizeMetrics(metrics, limits),
      patterns:
        found === undefined
          ? null
          : summarizePatterns(found.library.patterns.values(), limits.rows, found.invalid.length),
      quarantined: countsOf(quarantine()),
    };
  });
}

function countsOf(rows: readonly QuarantinedRow[]): DatabaseSummary["quarantined"] {
  const counts = new Map<string, DatabaseSummary["quarantined"][number]>();
  for (const { table, reason } of rows) {
    const key = JSON.stringify([table, reason]);
    const known = counts.get(key);
    if (known === undefined) counts.set(key, { table, reason, rows: 1 });
    else known.rows += 1;
  }
  return [...counts.values()];
}

function librarySummary(path: string, rows: number): LibrarySummary {
  let invalid = 0;
  const library = PatternPersistence.loadFromJson(path, { nonFinite: "null", onInvalid: () => (invalid += 1) });
  return {
    path,
    bytes: statSync(path).size,
    patterns: summarizePatterns(library.patterns.values(), rows, invalid),
  };
}
