import { statSync } from "node:fs";
import type { DatabaseSummary, LibrarySummary } from "./document.ts";
import { readLibrary } from "./read_library.ts";
import type { QuarantinedRow, SourceDatabase } from "./source.ts";
import { type ListLimits, summarizeMetrics } from "./summarize_metrics.ts";
import { summarizePatterns } from "./summarize_patterns.ts";

/**
 * Summarises a database.
 *
 * @param patternIds Receives the ids of its patterns.
 */
export async function summarizeDatabase(
  source: SourceDatabase,
  bytes: number | null,
  limits: ListLimits,
  patternIds: Set<string>,
): Promise<DatabaseSummary> {
  const { path, line, layout, metrics, patterns, orphanedMetadata, quarantine } = source;
  const found = await patterns?.("null");
  for (const id of found?.library.patterns.keys() ?? []) patternIds.add(id);
  return {
    path,
    bytes,
    line,
    layout,
    metrics: metrics === null ? null : await summarizeMetrics(metrics, limits),
    patterns:
      found === undefined
        ? null
        : summarizePatterns(found.library.patterns.values(), limits.rows, found.invalid.length),
    orphaned_metadata: await orphanedMetadata(),
    quarantined: countsOf(quarantine()),
  };
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

/**
 * Summarises a pattern library in JSON.
 *
 * @param patternIds Receives the ids of its patterns.
 */
export function summarizeLibrary(path: string, rows: number, patternIds: Set<string>): LibrarySummary {
  const { library, invalid } = readLibrary(path, "null");
  for (const id of library.patterns.keys()) patternIds.add(id);
  return {
    path,
    bytes: statSync(path).size,
    patterns: summarizePatterns(library.patterns.values(), rows, invalid.length),
  };
}
