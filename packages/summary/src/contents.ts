import type { NonFinite } from "@perdura/internals/json/load_options.js";
import type { Overview } from "@perdura/internals/metrics/overview_stats.js";
import type { Pattern } from "@perdura/internals/patterns/pattern.js";
import { readLibrary } from "./read_library.ts";
import type { OpenSource, QuarantinedRow, ReadPatterns, SourceDatabase } from "./source.ts";
import type { ReadState } from "./summarize_states.ts";

/** All interactions of a database. */
export interface MetricsContents {
  /** True if some rows have lost their levels. */
  hasLostLevels: boolean;
  overview: Overview;
  quarantined: readonly QuarantinedRow[];
  /** Opens the database again, for its rows. */
  open: OpenSource;
}

/** The patterns of a library or database. */
export interface PatternContents {
  /** With `NaN` and infinite numbers as null; null for an item that is not a pattern, which has no content to compare. */
  patterns: ReadonlyMap<string, Pattern | null>;
  /** The same with the names of these numbers as text: a migration may have repaired them in either way. */
  asText: ReadonlyMap<string, Pattern | null>;
  /** Ids of patterns in quarantine, or in a backup of the document. */
  quarantined: ReadonlySet<string>;
  quarantinedRows: readonly QuarantinedRow[];
  /** Opens the database again, for the rows of `pattern_usage`; null for a document, which has none. */
  open: OpenSource | null;
}

/** Everything that can be compared with another target, by name. */
export interface Contents {
  metrics: Map<string, MetricsContents>;
  patterns: Map<string, PatternContents>;
  /** By user, from a state directory and its archives, under the name of the directory. */
  states: Map<string, Map<string, ReadState>>;
  unreadable: { path: string; reason: string }[];
}

export function noContents(): Contents {
  return { metrics: new Map(), patterns: new Map(), states: new Map(), unreadable: [] };
}

/** True if nothing was found that could be compared. */
export function isEmpty({ metrics, patterns, states }: Contents): boolean {
  return metrics.size + patterns.size + states.size === 0;
}

/** Adds what a database contains. */
export async function addDatabase(
  contents: Contents,
  name: string,
  source: SourceDatabase,
  open: OpenSource,
): Promise<void> {
  const quarantined = source.quarantine();
  if (source.refusal !== null) contents.unreadable.push({ path: source.path, reason: source.refusal });
  if (source.metrics !== null) {
    const { hasLostLevels, statistics } = source.metrics;
    contents.metrics.set(name, { hasLostLevels, overview: await statistics.overview(), quarantined, open });
  }
  const { patterns } = source;
  if (patterns === null) return;
  const ids = quarantined.flatMap(({ table, id }) => (table === "patterns" && id !== null ? [id] : []));
  contents.patterns.set(name, {
    ...(await bothRepresentations((nonFinite) => patterns(nonFinite))),
    quarantined: new Set(ids),
    quarantinedRows: quarantined,
    open,
  });
}

/** Adds a pattern library in JSON. It has no quarantine: patterns that a migration removed from it are in its backups. */
export async function addLibrary(
  contents: Contents,
  name: string,
  path: string,
  backups: readonly string[],
): Promise<void> {
  const removed = backups.flatMap((backup) => [...itemsOf(readLibrary(backup, "null")).keys()]);
  contents.patterns.set(name, {
    ...(await bothRepresentations((nonFinite) => readLibrary(path, nonFinite))),
    quarantined: new Set(removed),
    quarantinedRows: [],
    open: null,
  });
}

/** Reads patterns in the two representations of {@link PatternContents}; once if both are equal because all are valid. */
async function bothRepresentations(
  read: (nonFinite?: NonFinite) => ReadPatterns | Promise<ReadPatterns>,
): Promise<Pick<PatternContents, "patterns" | "asText">> {
  const first = await read();
  if (first.invalid.length === 0) return { patterns: first.library.patterns, asText: first.library.patterns };
  return { patterns: itemsOf(await read("null")), asText: itemsOf(await read("text")) };
}

/** Patterns, and items with an id that are not patterns. */
function itemsOf({ library, invalid }: ReadPatterns): Map<string, Pattern | null> {
  const items = new Map<string, Pattern | null>(library.patterns);
  for (const { id } of invalid) if (id !== undefined && !items.has(id)) items.set(id, null);
  return items;
}

/** Adds the states of a directory or an archive; those of the directory replace those of its archives. */
export function addStates(contents: Contents, name: string, states: Iterable<ReadState>): void {
  const known = contents.states.get(name) ?? new Map<string, ReadState>();
  // The summary names those that could not be read.
  for (const state of states) if (state.status !== "unreadable") known.set(state.user_id, state);
  contents.states.set(name, known);
}
