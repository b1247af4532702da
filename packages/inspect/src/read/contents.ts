import { relative } from "node:path";
import { readData } from "@perdura/migrator";
import type { ListedUser, Overview } from "@perdura/internals/metrics/overview.js";
import type { Pattern } from "@perdura/internals/patterns/pattern.js";
import { PatternPersistence } from "@perdura/internals/patterns/persistence.js";
import type { MetricsSource, QuarantinedRow } from "@perdura/summary/source_database.js";
import type { ReadState } from "@perdura/summary/summarize_states.js";

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

/** Everything below a target that can be compared, by the path below it. */
export interface Contents {
  metrics: Map<string, MetricsContents>;
  patterns: Map<string, PatternContents>;
  /** By user, from state directories and archives. */
  states: Map<string, ReadState>;
  unreadable: { path: string; reason: string }[];
}

/** Reads everything below a target. */
export function contentsOf(target: string): Promise<Contents> {
  return readData(target, {}, async (found) => {
    const contents: Contents = {
      metrics: new Map(),
      patterns: new Map(),
      states: new Map(),
      unreadable: found.unreadable,
    };
    const keyOf = (path: string): string => relative(target, path);
    for (const { path, read } of found.databases)
      await read(({ metrics, patterns, quarantine }) => {
        const quarantined = quarantine();
        if (metrics !== null) contents.metrics.set(keyOf(path), metricsOf(metrics, quarantined));
        if (patterns !== null)
          contents.patterns.set(keyOf(path), {
            patterns: patterns("null").library.patterns,
            quarantined: new Set(
              quarantined.flatMap(({ table, id }) => (table === "patterns" && id !== null ? [id] : [])),
            ),
          });
      });
    for (const path of found.libraries) {
      const patterns = patternsIn(path);
      // A document has no quarantine: patterns that a migration removed from it are in its backups.
      const backups = found.backups
        .filter(({ of }) => of === path)
        .flatMap((backup) => [...patternsIn(backup.path).keys()]);
      contents.patterns.set(keyOf(path), { patterns, quarantined: new Set(backups) });
    }
    for (const { read } of [...found.archives, ...found.stateDirectories])
      for (const state of read()) contents.states.set(state.user_id, state);
    return contents;
  });
}

function patternsIn(path: string): ReadonlyMap<string, Pattern> {
  return PatternPersistence.loadFromJson(path, { nonFinite: "null", onInvalid: () => undefined }).patterns;
}

function metricsOf({ hasLostLevels, statistics }: MetricsSource, rows: readonly QuarantinedRow[]): MetricsContents {
  const quarantined = new Map<string, number>();
  for (const { user_id } of rows) if (user_id !== null) quarantined.set(user_id, (quarantined.get(user_id) ?? 0) + 1);
  const users = statistics.topUsers(Number.MAX_SAFE_INTEGER).map((user): [string, ListedUser] => [user.user_id, user]);
  return { hasLostLevels, overview: statistics.overview(), users: new Map(users), quarantined };
}
