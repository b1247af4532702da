import type { PatternLibrary } from "@perdura/internals/patterns/library.js";

/** The end of the last save of each library, by place. */
const ends: WeakMap<PatternLibrary, Map<string, Promise<void>>> = new WeakMap();

/**
 * Runs a save after the earlier saves of the same library to the same place: what a save adds to the counts of the
 * database depends on whether the one before it succeeded.
 */
export async function inTurn<Result>(
  library: PatternLibrary,
  place: string,
  save: () => Promise<Result>,
): Promise<Result> {
  const places = ends.get(library) ?? new Map<string, Promise<void>>();
  ends.set(library, places);
  const before = places.get(place);
  const own = Promise.withResolvers<void>();
  places.set(place, own.promise);
  try {
    // Without an earlier save this one begins at once, before a call that closes the connection.
    if (before !== undefined) await before;
    return await save();
  } finally {
    own.resolve();
    if (places.get(place) === own.promise) places.delete(place);
  }
}
