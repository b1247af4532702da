import { identifierFault } from "../../text/identifiers.ts";

/** Keys of the metadata of a database by which its interactions can be told apart. */
export interface FoundKeys {
  /** The declared keys; if none is declared, those that suit best. */
  keys: FoundKey[];
  /** Declared keys whose numbers are summed. */
  numbers: readonly string[];
}

export interface FoundKey {
  key: string;
  /** True if sums of its values are kept. */
  isDeclared: boolean;
}

/** Number of interactions whose metadata are looked at. */
export const LOOKED_AT = 1000;
/** Maximum number of keys that are found. */
const MOST_KEYS = 3;
/** Values of a key that is worth a breakdown are few, short and repeated. */
const MOST_VALUES = 50;
const LONGEST_VALUE = 100;

interface Tally {
  rows: number;
  texts: number;
  values: Set<unknown>;
}

/**
 * Finds the keys whose values are few and repeated, such as the name of a tool, unlike the id of a request. Keys of most
 * interactions come first, of equal ones those with text.
 *
 * @param metadata Texts of the table; other programs may have stored text that is not JSON.
 */
export function suitedKeys(metadata: Iterable<string>): FoundKey[] {
  const tallies = new Map<string, Tally>();
  for (const text of metadata)
    for (const [key, value] of entriesOf(text)) {
      const tally = tallies.get(key) ?? { rows: 0, texts: 0, values: new Set() };
      tallies.set(key, tally);
      tally.rows += 1;
      if (typeof value === "string") tally.texts += 1;
      tally.values.add(value);
    }
  return [...tallies]
    .filter(
      ([, { rows, texts, values }]) =>
        (values.size > 1 || texts > 0) &&
        values.size <= MOST_VALUES &&
        (rows < 10 ? values.size < rows : values.size * 2 <= rows),
    )
    .toSorted(([one, a], [other, b]) => b.rows - a.rows || b.texts - a.texts || (one < other ? -1 : 1))
    .slice(0, MOST_KEYS)
    .map(([key]) => ({ key, isDeclared: false }));
}

/** Members with a key that can be asked for, and a short value that is not an object or an array. */
function entriesOf(text: string): [string, unknown][] {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    // It has no keys.
    return [];
  }
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) return [];
  return Object.entries(parsed).filter(
    ([key, value]) =>
      identifierFault(key) === undefined &&
      value !== null &&
      typeof value !== "object" &&
      (typeof value !== "string" || value.length <= LONGEST_VALUE),
  );
}
