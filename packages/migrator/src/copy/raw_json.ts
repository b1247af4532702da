import { isJson } from "../is_json.ts";
import type { Row } from "./row_values.ts";
import type { CopiedTable } from "./tables.ts";

/** Nested so deeply, JSON is fine with the smallest stack that a PostgreSQL server can be given. */
const DEEPEST = 500;

/** The column beside one of JSON in PostgreSQL, for text that it does not take. */
export function rawColumn(name: string): string {
  return `${name}_raw`;
}

/** Which values of a row are JSON. */
export function placesOfJson({ columns }: CopiedTable): number[] {
  return columns.flatMap(({ kind }, index) => (kind === "json" ? [index] : []));
}

/** A row as PostgreSQL has it: behind it, for each value of JSON, the text that is to lie beside it instead. */
export function withRaw(row: Row, places: readonly number[]): Row {
  if (places.length === 0) return row;
  const stored = [...row];
  for (const place of places) {
    const text = row[place] ?? null;
    const isRaw = text !== null && !isTakenAsJson(text);
    if (isRaw) stored[place] = "null";
    stored.push(isRaw ? text : null);
  }
  return stored;
}

function isTakenAsJson(text: string): boolean {
  // Two brackets a level: most values are too short to be looked at.
  return (text.length <= 2 * DEEPEST || depthOf(text) <= DEEPEST) && isJson(text);
}

const QUOTE = 34;
const BACKSLASH = 92;
const OPENING: ReadonlySet<number> = new Set([91, 123]);
const CLOSING: ReadonlySet<number> = new Set([93, 125]);

/** How deeply arrays and objects are nested in a text of JSON, which may be too long for a regular expression. */
function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  let isText = false;
  for (let place = 0; place < text.length; place += 1) {
    const character = text.charCodeAt(place);
    if (isText && character === BACKSLASH) place += 1;
    else if (character === QUOTE) isText = !isText;
    else if (isText) continue;
    else if (OPENING.has(character)) deepest = Math.max(deepest, (depth += 1));
    else if (CLOSING.has(character)) depth -= 1;
  }
  return deepest;
}
