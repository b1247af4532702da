import type { Discovery } from "../discover/discover.ts";

/**
 * Paths below a state directory that are no part of the states: databases (they are migrated, and are never read except
 * by SQLite), the files SQLite keeps beside them, and what perdura-migrate made.
 */
export function excludedPaths(discovery: Discovery): Set<string> {
  const databases = discovery.databases.flatMap(({ path }) =>
    ["", "-journal", "-wal", "-shm"].map((suffix) => `${path}${suffix}`),
  );
  return new Set([...databases, ...discovery.own]);
}
