import type { ListedUser, Overview } from "@perdura/internals/metrics/overview_stats.js";
import type { Pattern } from "@perdura/internals/patterns/pattern.js";
import { PatternPersistence } from "@perdura/internals/patterns/persistence.js";
import type { QuarantinedRow, SourceDatabase } from "./source.ts";
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
  patterns: ReadonlyMap<string, Pattern>;
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
export function addDatabase(contents: Contents, name: string, source: SourceDatabase): void {
  const quarantined = source.quarantine();
  if (source.metrics !== null) {
    const { hasLostLevels, statistics } = source.metrics;
    const users = statistics
      .topUsers(Number.MAX_SAFE_INTEGER)
      .map((user): [string, ListedUser] => [user.user_id, user]);
    contents.metrics.set(name, {
      hasLostLevels,
      overview: statistics.overview(),
      users: new Map(users),
      quarantined: rowsByUser(quarantined),
    });
  }
  if (source.patterns === null) return;
  const ids = quarantined.flatMap(({ table, id }) => (table === "patterns" && id !== null ? [id] : []));
  contents.patterns.set(name, { patterns: source.patterns("null").library.patterns, quarantined: new Set(ids) });
}

function rowsByUser(rows: readonly QuarantinedRow[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { user_id } of rows) if (user_id !== null) counts.set(user_id, (counts.get(user_id) ?? 0) + 1);
  return counts;
}

/** Adds a pattern library in JSON. It has no quarantine: patterns that a migration removed from it are in its backups. */
export function addLibrary(contents: Contents, name: string, path: string, backups: readonly string[]): void {
  const removed = backups.flatMap((backup) => [...patternsIn(backup).keys()]);
  contents.patterns.set(name, { patterns: patternsIn(path), quarantined: new Set(removed) });
}

function patternsIn(path: string): ReadonlyMap<string, Pattern> {
  return PatternPersistence.loadFromJson(path, { nonFinite: "null", onInvalid: () => undefined }).patterns;
}

/** Adds the states of a directory or an archive. */
export function addStates(contents: Contents, states: Iterable<ReadState>): void {
  for (const state of states) contents.states.set(state.user_id, state);
}
