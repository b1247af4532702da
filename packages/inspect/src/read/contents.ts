import { relative } from "node:path";
import { readData } from "@perdura/migrator";
import type { ListedUser, Overview } from "@perdura/internals/metrics/overview.js";
import type { Pattern } from "@perdura/internals/patterns/pattern.js";
import { PatternPersistence } from "@perdura/internals/patterns/persistence.js";
import type { ReadState } from "@perdura/summary/summarize_states.js";

/** All interactions of a database in figures. */
export interface MetricsContents {
  hasLevels: boolean;
  overview: Overview;
  users: Map<string, ListedUser>;
}

/** Everything below a target that can be compared, by the path below it. */
export interface Contents {
  metrics: Map<string, MetricsContents>;
  patterns: Map<string, ReadonlyMap<string, Pattern>>;
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
      await read(({ metrics, patterns }) => {
        if (metrics !== null)
          contents.metrics.set(keyOf(path), {
            hasLevels: metrics.hasLevels,
            overview: metrics.statistics.overview(),
            users: new Map(metrics.statistics.topUsers(Number.MAX_SAFE_INTEGER).map((user) => [user.user_id, user])),
          });
        if (patterns !== null) contents.patterns.set(keyOf(path), patterns("null").library.patterns);
      });
    for (const path of found.libraries)
      contents.patterns.set(
        keyOf(path),
        PatternPersistence.loadFromJson(path, { nonFinite: "null", onInvalid: () => undefined }).patterns,
      );
    for (const { read } of [...found.archives, ...found.stateDirectories])
      for (const state of read()) contents.states.set(state.user_id, state);
    return contents;
  });
}
