import { type FoundData, readData } from "@perdura/migrator";
import { shownPath } from "@perdura/cli/shown_paths.js";
import { DecisionNeeded, UsageError } from "@perdura/cli/usage_error.js";
import type { NonFinite } from "@perdura/internals/json/load_options.js";
import { readLibrary } from "@perdura/summary/read_library.js";
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
    const place = await onlyPlace(path, found, [], ({ metrics }) => metrics !== null, METRICS);
    return databaseAt(found, place).read((database) => {
      if (database.metrics === null) throw nothing(path, METRICS.one);
      return use({ database, metrics: database.metrics });
    });
  });
}

const METRICS = { one: "database with metrics", many: "databases with metrics" };
const LIBRARIES = { one: "pattern library", many: "pattern libraries" };

/** A pattern library and the place from which it was read. */
export interface OpenPatterns extends ReadPatterns {
  path: string;
}

/**
 * Reads the patterns of the only library below a path, in a database or in JSON.
 *
 * @param nonFinite Form of `NaN` and infinite numbers; without it, patterns with such numbers are invalid.
 */
export function withPatterns<Result>(
  path: string,
  nonFinite: NonFinite | undefined,
  use: (open: OpenPatterns) => Result,
): Promise<Result> {
  return readData(path, {}, async (found) => {
    const place = await onlyPlace(path, found, found.libraries, ({ patterns }) => patterns !== null, LIBRARIES);
    if (found.libraries.includes(place)) return use({ path: place, ...readLibrary(place, nonFinite) });
    return databaseAt(found, place).read(({ patterns }) => {
      if (patterns === null) throw nothing(path, LIBRARIES.one);
      return use({ path: place, ...patterns(nonFinite) });
    });
  });
}

/** The only place that a command can use. A single database is not opened for this, because it is read afterwards. */
async function onlyPlace(
  path: string,
  { databases }: FoundData,
  others: readonly string[],
  has: (database: SourceDatabase) => boolean,
  { one, many }: typeof METRICS,
): Promise<string> {
  const [database, second] = databases;
  if (database !== undefined && second === undefined && others.length === 0) return database.path;
  const places = [...others];
  for (const { path: place, read } of databases) if (await read(has)) places.push(place);
  return onlyOne(path, places, one, many);
}

function databaseAt({ databases }: FoundData, place: string): FoundData["databases"][number] {
  return databases.find(({ path }) => path === place) as FoundData["databases"][number];
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
    const source = all.find((each) => each.path === place) as (typeof all)[number];
    return use({ path: place, states: source.read() });
  });
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
