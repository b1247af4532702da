import type { NonFinite } from "@perdura/internals/json/load_options.js";
import type { ListedUser, Overview } from "@perdura/internals/metrics/overview_stats.js";
import type { Pattern } from "@perdura/internals/patterns/pattern.js";
import { readLibrary } from "./read_library.ts";
import type { QuarantinedRow, ReadPatterns, SourceDatabase } from "./source.ts";
import type { ReadState } from "./summarize_states.ts";

/** All interactions of a database in figures. */
export interface MetricsContents {
  /** True if some rows have lost their levels. */
  hasLostLevels: boolean;
  overview: Overview;
  users: Map<string, ListedUser>;
  /** Number of interactions in quarantine, by user. */
  quarantined: Map<string, number>;
}

/** The patterns of a library or database. */
export interface PatternContents {
  /** With `NaN` and infinite numbers as null. */
  patterns: ReadonlyMap<string, Pattern>;
  /** The same with the names of these numbers as text: a migration may have repaired them in either way. */
  asText: ReadonlyMap<string, Pattern>;
  /** Ids of patterns in quarantine, or in a backup of the document. */
  quarantined: ReadonlySet<string>;
}

/** Everything that can be compared with another target, by name. */
export interface Contents {
  metrics: Map<string, MetricsContents>;
  patterns: Map<string, PatternContents>;
  /** By user, from state directories and archives. */
  states: Map<string, ReadState>;
  unreadable: { path: string; reason: string }[];
}

export function noContents(): Contents {
  return { metrics: new Map(), patterns: new Map(), states: new Map(), unreadable: [] };
}

/** Adds what a database contains. */
export async function addDatabase(contents: Contents, name: string, source: SourceDatabase): Promise<void> {
  const quarantined = source.quarantine();
  if (source.metrics !== null) {
    const { hasLostLevels, statistics } = source.metrics;
    const users = await statistics.topUsers(Number.MAX_SAFE_INTEGER);
    contents.metrics.set(name, {
      hasLostLevels,
      overview: await statistics.overview(),
      users: new Map(users.map((user) => [user.user_id, user])),
      quarantined: rowsByUser(quarantined),
    });
  }
  const { patterns } = source;
  if (patterns === null) return;
  const ids = quarantined.flatMap(({ table, id }) => (table === "patterns" && id !== null ? [id] : []));
  contents.patterns.set(name, {
    ...(await bothRepresentations((nonFinite) => patterns(nonFinite))),
    quarantined: new Set(ids),
  });
}

function rowsByUser(rows: readonly QuarantinedRow[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { user_id } of rows) if (user_id !== null) counts.set(user_id, (counts.get(user_id) ?? 0) + 1);
  return counts;
}

/** Adds a pattern library in JSON. It has no quarantine: patterns that a migration removed from it are in its backups. */
export async function addLibrary(
  contents: Contents,
  name: string,
  path: string,
  backups: readonly string[],
): Promise<void> {
  const removed = backups.flatMap((backup) => [...readLibrary(backup, "null").library.patterns.keys()]);
  contents.patterns.set(name, {
    ...(await bothRepresentations((nonFinite) => readLibrary(path, nonFinite))),
    quarantined: new Set(removed),
  });
}

/** Reads patterns in the two representations of {@link PatternContents}; once if both are equal because all are valid. */
async function bothRepresentations(
  read: (nonFinite?: NonFinite) => ReadPatterns | Promise<ReadPatterns>,
): Promise<Pick<PatternContents, "patterns" | "asText">> {
  const { library, invalid } = await read();
  if (invalid.length === 0) return { patterns: library.patterns, asText: library.patterns };
  return { patterns: (await read("null")).library.patterns, asText: (await read("text")).library.patterns };
}

/** Adds the states of a directory or an archive. */
export function addStates(contents: Contents, states: Iterable<ReadState>): void {
  for (const state of states) contents.states.set(state.user_id, state);
}
