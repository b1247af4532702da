import { type FoundData, readData, type ReadOptions } from "@perdura/migrator";
import { valueOf } from "@perdura/cli/option_table.js";
import { shownPath } from "@perdura/cli/shown_paths.js";
import { DecisionNeeded, UsageError } from "@perdura/cli/usage_error.js";
import type { NonFinite } from "@perdura/internals/json/load_options.js";
import { readLibrary } from "@perdura/summary/read_library.js";
import type { MetricsSource, ReadPatterns, SourceDatabase } from "@perdura/summary/source.js";
import type { ReadState } from "@perdura/summary/summarize_states.js";
import type { Arguments } from "./table.ts";

/** The database of a command with its interactions. */
export interface OpenMetrics {
  database: SourceDatabase;
  metrics: MetricsSource;
}

/**
 * Reads the interactions of the only database with metrics below the first argument.
 *
 * @param onProgress Receives the progress while the rows of a large database are read.
 */
export function withMetrics<Result>(
  given: Arguments,
  use: (open: OpenMetrics) => Result | Promise<Result>,
  onProgress?: ReadOptions["onProgress"],
): Promise<Result> {
  return reading(given, onProgress, async (found) => {
    const place = await onlyPlace(found, [], ({ metrics }) => metrics !== null, METRICS);
    return databaseAt(found, place).read((database) => {
      if (database.metrics === null) throw nothing(found, METRICS.one);
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
 * Reads the patterns of the only library below the first argument, in a database or in JSON.
 *
 * @param nonFinite Form of `NaN` and infinite numbers; without it, patterns with such numbers are invalid.
 */
export function withPatterns<Result>(
  given: Arguments,
  nonFinite: NonFinite | undefined,
  use: (open: OpenPatterns) => Result,
): Promise<Result> {
  return reading(given, undefined, async (found) => {
    const place = await onlyPlace(found, found.libraries, ({ patterns }) => patterns !== null, LIBRARIES);
    if (found.libraries.includes(place)) return use({ path: place, ...readLibrary(place, nonFinite) });
    return databaseAt(found, place).read(async ({ patterns }) => {
      if (patterns === null) throw nothing(found, LIBRARIES.one);
      return use({ path: place, ...(await patterns(nonFinite)) });
    });
  });
}

/** The only place that a command can use. A single database is not opened for this, because it is read afterwards. */
async function onlyPlace(
  found: FoundData,
  others: readonly string[],
  has: (database: SourceDatabase) => boolean,
  { one, many }: typeof METRICS,
): Promise<string> {
  const { databases } = found;
  const [database, second] = databases;
  if (database !== undefined && second === undefined && others.length === 0) return database.path;
  const places = [...others];
  for (const { path: place, read } of databases) if (await read(has)) places.push(place);
  return onlyOne(found, places, one, many);
}

function databaseAt({ databases }: FoundData, place: string): FoundData["databases"][number] {
  return databases.find(({ path }) => path === place) as FoundData["databases"][number];
}

/** Reads the states of the only state directory or archive below the first argument. */
export function withStates<Result>(
  given: Arguments,
  use: (open: { path: string; states: Iterable<ReadState> }) => Result,
): Promise<Result> {
  return reading(given, undefined, async (found) => {
    const all = [...found.stateDirectories, ...found.archives];
    const place = onlyOne(
      found,
      all.map((each) => each.path),
      "state directory or archive",
      "state directories and archives",
    );
    const source = all.find((each) => each.path === place) as (typeof all)[number];
    return use({ path: place, states: source.read() });
  });
}

/** Reads what is below the first argument. */
function reading<Result>(
  given: Arguments,
  onProgress: ReadOptions["onProgress"],
  use: (found: FoundData) => Promise<Result>,
): Promise<Result> {
  return readData(given.words[0] ?? "", { schema: valueOf(given, "schema"), onProgress }, use);
}

function onlyOne(found: FoundData, places: readonly string[], one: string, many: string): string {
  const [place, second] = places;
  if (place === undefined) throw nothing(found, one);
  if (second === undefined) return place;
  throw new DecisionNeeded(
    `${targetOf(found)} contains ${places.length} ${many}: ${places.map(shownPath).join(", ")}. ${targetOf(found).includes("://") ? "Choose one with --schema." : "Name one of them."}`,
  );
}

function nothing(found: FoundData, what: string): UsageError {
  return new UsageError(`${targetOf(found)}: found no ${what}.${reasonsOf(found.unreadable)}`);
}

/** The reasons why paths could not be read, as sentences that follow another one. */
export function reasonsOf(unreadable: FoundData["unreadable"]): string {
  return unreadable.map(({ path, reason }) => ` ${shownPath(path)}: ${reason}`).join("");
}

/** The first argument for a message, without a password. */
function targetOf({ targets: [target = ""] }: FoundData): string {
  return shownPath(target);
}
