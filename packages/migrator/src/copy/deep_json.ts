import type { PostgresTables } from "@perdura/postgres/tables";
import { REFUSED, type Row } from "./row_values.ts";
import type { Reader } from "./side.ts";

/** Whatever is nested less deeply is fine with the smallest stack that a server can be given. */
const SURELY_FINE = 200;

/** Levels more than those of a value: a question has its own place on the stack, and a COPY another. */
const MARGIN = 50;

/**
 * A source whose deeply nested JSON the server was asked about. How deep JSON may be depends on its `max_stack_depth`, its
 * processor and how it was built; a value that it refuses would end a copy that has begun.
 */
export function askingAboutDeepJson(source: Reader, tables: PostgresTables): Reader {
  return {
    store: source.store,
    place: source.place,
    has: (table) => source.has(table),
    count: (table) => source.count(table),
    highest: (table) => source.highest(table),
    rows: (table, range) => {
      const rows = source.rows(table, range);
      const places = table.columns.flatMap(({ kind }, index) => (kind === "json" ? [index] : []));
      return places.length === 0 ? rows : asked(rows, places, tables);
    },
  };
}

async function* asked(
  batches: ReturnType<Reader["rows"]>,
  places: readonly number[],
  tables: PostgresTables,
): AsyncGenerator<readonly Row[], void> {
  for await (const batch of batches) {
    const rows = [...batch];
    for (const [number, row] of rows.entries()) {
      for (const place of places) {
        const text = row[place] ?? "";
        // Two brackets a level: most values are too short to be looked at.
        const depth = text.length < 2 * SURELY_FINE ? 0 : depthOf(text);
        if (depth < SURELY_FINE || (await isTaken(text, tables))) continue;
        const reason = `JSON nested ${depth} deep, which takes more than the server's max_stack_depth`;
        rows[number] = row.with(place, `${REFUSED}${reason}`);
      }
    }
    yield rows;
  }
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

/** PostgreSQL's code for a stack that is used up. */
const STACK_USED_UP = "54001";

async function isTaken(text: string, tables: PostgresTables): Promise<boolean> {
  const client = await tables.connect();
  try {
    await client.query("SELECT $1::json IS NULL", [`${"[".repeat(MARGIN)}${text}${"]".repeat(MARGIN)}`]);
    return true;
  } catch (error) {
    const { code } = error as { code?: unknown };
    if (code === STACK_USED_UP) return false;
    // What is no JSON at all is found with the other values.
    if (typeof code === "string" && code.startsWith("22")) return true;
    throw error;
  } finally {
    client.release();
  }
}
