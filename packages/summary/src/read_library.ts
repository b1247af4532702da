import type { NonFinite } from "@perdura/internals/json/load_options.js";
import type { InvalidPattern } from "@perdura/internals/patterns/invalid_patterns.js";
import { PatternPersistence } from "@perdura/internals/patterns/persistence.js";
import type { ReadPatterns } from "./source.ts";

/** Reads a pattern library in JSON, with the items that are not patterns. */
export function readLibrary(path: string, nonFinite?: NonFinite): ReadPatterns {
  const invalid: InvalidPattern[] = [];
  const library = PatternPersistence.loadFromJson(path, { nonFinite, onInvalid: (problem) => invalid.push(problem) });
  return { library, invalid };
}
