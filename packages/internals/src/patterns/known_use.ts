import { placeOf } from "../files/place_of.ts";
import type { PatternLibrary, PatternUsage } from "./library.ts";
import type { Pattern } from "./pattern.ts";

/** Fields that recording a use changes, as numbers and text of a pattern. */
export type Use = [usage_count: number, success_count: number, failure_count: number, last_used: string | null];

/**
 * The use of each pattern when a library and a place last agreed: after a load, and after a save. A save to a database
 * adds what the library has counted since then to what the database has now. So the counts of several programs that save
 * one library are those of all their uses (ruling U-save-existing).
 *
 * Arrays of numbers, because a library can have a million patterns.
 */
class KnownUse {
  readonly #ids: string[];
  readonly #counts: Float64Array;
  readonly #lastUsed: (string | null)[];
  #next = 0;
  #places: Map<string, number> | undefined;

  constructor(patterns: ReadonlyMap<string, Pattern>) {
    // Local variables, because reading a private field takes a considerable part of each step.
    const [ids, lastUsed]: [string[], (string | null)[]] = [[], []];
    const counts = new Float64Array(3 * patterns.size);
    let place = 0;
    for (const pattern of patterns.values()) {
      ids.push(pattern.id);
      lastUsed.push(pattern.last_used);
      counts[3 * place] = pattern.usage_count;
      counts[3 * place + 1] = pattern.success_count;
      counts[3 * place + 2] = pattern.failure_count;
      place += 1;
    }
    this.#ids = ids;
    this.#counts = counts;
    this.#lastUsed = lastUsed;
  }

  of(id: string): Use | undefined {
    const place = this.#placeOf(id);
    if (place === undefined) return undefined;
    this.#next = place + 1;
    const [counts, at] = [this.#counts, 3 * place];
    return [
      counts[at] as number,
      counts[at + 1] as number,
      counts[at + 2] as number,
      this.#lastUsed[place] as string | null,
    ];
  }

  /** Nearly always, patterns are asked for in their order. */
  #placeOf(id: string): number | undefined {
    if (this.#next === this.#ids.length) this.#next = 0;
    if (this.#ids[this.#next] === id) return this.#next;
    this.#places ??= new Map(this.#ids.map((each, place) => [each, place]));
    return this.#places.get(id);
  }
}

/** A database or a file: its path or address, or an open connection to one that has neither. */
export type Place = string | object;

export function placeAt(path: string): Place {
  return placeOf(path) ?? path;
}

/**
 * Property of a library with what it knows. A symbol that both lines share, because a library of one line can be saved
 * by the other.
 */
const KNOWN: unique symbol = Symbol.for("perdura.known_use") as never;

/** The counts of a pattern. */
type Counted = Pick<Pattern, "id" | "usage_count" | "success_count" | "failure_count">;

interface Knowing {
  [KNOWN]?: Map<Place, KnownUse>;
}

/** Notes that a library and a place agree. */
export function rememberUse(library: PatternLibrary, place: Place): void {
  useToRemember(library, place)();
}

/** Copies the use of all patterns now, and returns a function that notes it after a save that ends later. */
export function useToRemember(library: PatternLibrary, place: Place): () => void {
  const use = new KnownUse(library.patterns);
  return () => {
    const knowing = library as Knowing;
    if (knowing[KNOWN] === undefined) Object.defineProperty(library, KNOWN, { value: new Map<Place, KnownUse>() });
    knowing[KNOWN]?.set(place, use);
  };
}

/**
 * Returns a function that gives the use of a pattern at which counting began: what the database had when they last
 * agreed, or no use for a pattern whose counts are exactly its uses that were not saved yet, as for one that a program
 * contributes at each start. Undefined for other patterns: the counts of the library replace those of the database.
 *
 * @param pendingUsage The uses that this save writes.
 */
export function knownUse(
  library: PatternLibrary,
  place: Place,
  pendingUsage: readonly PatternUsage[] = library.pendingUsage,
): (pattern: Counted) => Use | undefined {
  const known = (library as Knowing)[KNOWN]?.get(place);
  const pending = new Map<string, [usage: number, success: number]>();
  for (const { pattern_id, success } of pendingUsage) {
    const counts = pending.get(pattern_id) ?? [0, 0];
    counts[0] += 1;
    if (success) counts[1] += 1;
    pending.set(pattern_id, counts);
  }
  return ({ id, usage_count, success_count, failure_count }) => {
    const before = known?.of(id);
    if (before !== undefined) return before;
    const [usage, success] = pending.get(id) ?? [0, 0];
    const isAllPending = usage === usage_count && success === success_count && usage - success === failure_count;
    return isAllPending ? [0, 0, 0, null] : undefined;
  };
}

/** True if a pattern was not used since. */
export function isSameUse(pattern: Pattern, [usage, success, failure, lastUsed]: Use): boolean {
  return (
    pattern.usage_count === usage &&
    pattern.success_count === success &&
    pattern.failure_count === failure &&
    pattern.last_used === lastUsed
  );
}

/** True if the counts of a pattern have changed since the library and the place last agreed. */
export function hasNewUse(library: PatternLibrary, place: Place): boolean {
  const known = (library as Knowing)[KNOWN]?.get(place);
  return [...library.patterns.values()].some((pattern) => {
    const [usage, success, failure] = known?.of(pattern.id) ?? [0, 0, 0];
    return pattern.usage_count !== usage || pattern.success_count !== success || pattern.failure_count !== failure;
  });
}
