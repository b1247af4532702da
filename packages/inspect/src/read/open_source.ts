import { type FoundData, readData } from "@perdura/migrator";
import { shownPath } from "@perdura/cli/shown_paths.js";
import { DecisionNeeded, UsageError } from "@perdura/cli/usage_error.js";
import { PatternPersistence } from "@perdura/internals/patterns/persistence.js";
import type { InvalidPattern } from "@perdura/internals/patterns/invalid_patterns.js";
import type { MetricsSource, ReadPatterns, SourceDatabase } from "@perdura/summary/source.js";
import type { ReadState } from "@perdura/summary/summarize_states.js";

/** The database of a command with its interactions. */
export interface OpenMetrics {
  database: SourceDatabase;
  metrics: MetricsSource;
}

/** Reads the interactions of the only database with metrics below a path. */
export function withMetrics<Result>(path: string, use: (open: OpenMetrics) => Result): Promise<Result> {
  return readData(path, {}, async (found) => {
    const places = await placesWith(found, ({ metrics }) => metrics !== null);
    const place = onlyOne(path, places, "database with metrics", "databases with metrics");
    const database = found.databases.find((each) => each.path === place);
    if (database === undefined) throw nothing(path, "metrics");
    return database.read((source) => use({ database: source, metrics: source.metrics as MetricsSource }));
  });
}

/** A pattern library and the place from which it was read. */
export interface OpenPatterns extends ReadPatterns {
  path: string;
}

/** Reads the patterns of the only library below a path, in a database or in JSON. */
export function withPatterns<Result>(path: string, use: (open: OpenPatterns) => Result): Promise<Result> {
  return readData(path, {}, async (found) => {
    const places = [...(await placesWith(found, ({ patterns }) => patterns !== null)), ...found.libraries];
    const place = onlyOne(path, places, "pattern library", "pattern libraries");
    const database = found.databases.find((each) => each.path === place);
    if (database === undefined) return use({ path: place, ...readLibrary(place) });
    return database.read(({ patterns }) => use({ path: place, ...(patterns as () => ReadPatterns)() }));
  });
}

/** Reads a library in JSON with its invalid patterns. */
function readLibrary(path: string): ReadPatterns {
  const invalid: InvalidPattern[] = [];
  const library = PatternPersistence.loadFromJson(path, {
    nonFinite: "null",
    onInvalid: (problem) => invalid.push(problem),
  });
  return { library, invalid };
}

/** Reads the states of the only state directory or archive below a path. */
export function withStates<Result>(
  path: string,
  use: (open: { path: string; states: Iterable<ReadState> }) => Result,
): Promise<Result> {
  return readData(path, {}, async ({ stateDirectories, archives }) => {
    const all = [...stateDirectories, ...archives];
    const place = onlyOne(
      path,
      all.map((each) => each.path),
      "state directory or archive",
      "state directories and archives",
    );
    const source = all.find((each) => each.path === place);
    if (source === undefined) throw nothing(path, "states");
    return use({ path: place, states: source.read() });
  });
}

/** Databases that have what a command needs. A single one is not opened twice. */
async function placesWith({ databases }: FoundData, has: (database: SourceDatabase) => boolean): Promise<string[]> {
  const places: string[] = [];
  for (const { path, read } of databases) if (await read(has)) places.push(path);
  return places;
}

function onlyOne(path: string, places: readonly string[], one: string, many: string): string {
  const [place, second] = places;
  if (place === undefined) throw nothing(path, one);
  if (second === undefined) return place;
  throw new DecisionNeeded(
    `${shownPath(path)} contains ${places.length} ${many}: ${places.map(shownPath).join(", ")}. Name one of them.`,
  );
}

function nothing(path: string, what: string): UsageError {
  return new UsageError(`${shownPath(path)}: found no ${what}.`);
}
