import { type Column, type CopiedTable, WRONG_TYPE, type Row } from "./tables.ts";

/** Kind of database. */
export type Store = "PostgreSQL" | "SQLite";

/** A value that the target cannot hold. */
export interface Fault {
  table: string;
  key: string;
  column: string;
  reason: string;
}

/**
 * The fault in the first column whose value the target cannot hold.
 *
 * @param repertoire Characters of a database that cannot hold all of them; must have learned those of the row.
 */
export function faultOf(table: CopiedTable, row: Row, into: Store, repertoire?: Repertoire): Fault | undefined {
  for (const [index, column] of table.columns.entries()) {
    const text = row[index] as string | null;
    const reason = reasonOf(column, text, into) ?? reasonOfCharacters(column, text, repertoire);
    if (reason !== undefined) return { table: table.name, key: printed(row[0] ?? "NULL"), column: column.name, reason };
  }
  return undefined;
}

function reasonOf(column: Column, text: string | null, into: Store): string | undefined {
  if (text === null) return column.required ? missing(column) : undefined;
  // A value from another table is checked there.
  if (column.from !== undefined) return undefined;
  return into === "PostgreSQL" ? reasonAgainstPostgres(column, text) : reasonAgainstSqlite(column, text);
}

function reasonOfCharacters({ from }: Column, text: string | null, repertoire?: Repertoire): string | undefined {
  const lacking = text === null || from !== undefined ? undefined : repertoire?.lackingIn(text);
  if (lacking === undefined) return undefined;
  const number = (lacking.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, "0");
  return `the character U+${number}, which a database in the encoding ${repertoire?.encoding} cannot hold`;
}

function missing({ role }: Column): string {
  return role === undefined || role === "position"
    ? "expected a value, found NULL"
    : "the row that it refers to does not exist";
}

const EXPECTED: Record<Column["kind"], string> = {
  integer: "an integer",
  level: "an integer",
  boolean: "0 or 1",
  real: "a number",
  text: "text",
  time: "text",
  json: "text",
};

function reasonAgainstPostgres({ kind }: Column, text: string): string | undefined {
  if (text.startsWith(WRONG_TYPE)) return `expected ${EXPECTED[kind]}, found ${text.slice(WRONG_TYPE.length)}`;
  if (kind === "level") return Math.abs(Number(text) + 0.5) < 2 ** 31 ? undefined : `${text} exceeds 32 bits`;
  if (kind === "text" || kind === "time" || kind === "json")
    return text.includes("\0") ? "a NUL character, which PostgreSQL cannot hold" : undefined;
  return undefined;
}

function reasonAgainstSqlite({ kind }: Column, text: string): string | undefined {
  if (kind === "real" && text === "NaN") return "NaN, which SQLite cannot hold";
  // A column that is declared as a time converts text that looks like a number.
  if (kind === "time" && NUMBER.test(text)) return "text that SQLite would convert to a number";
  return undefined;
}

const NUMBER = /^\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?\s*$/i;

/** A key for a message: keys may be of any type and length. */
function printed(key: string): string {
  return (key.startsWith(WRONG_TYPE) ? key.slice(WRONG_TYPE.length) : key).slice(0, 80);
}

/** Returns the characters that a database cannot hold. */
type AskForLacking = (characters: readonly string[]) => Promise<readonly string[]>;

/**
 * Characters that a database in another encoding than UTF-8 can hold. The database is asked once for each character:
 * texts use few different ones, and a text can be stored if all of its characters can.
 */
export class Repertoire {
  /** Name of the encoding for messages. */
  readonly encoding: string;
  readonly #ask: AskForLacking;
  readonly #asked: Set<string> = new Set();
  readonly #lacking: Set<string> = new Set();

  constructor(encoding: string, ask: AskForLacking) {
    this.encoding = encoding;
    this.#ask = ask;
  }

  /** Asks the database for all new characters of rows. */
  async learn(rows: readonly Row[]): Promise<void> {
    const unknown = new Set<string>();
    for (const row of rows)
      for (const text of row)
        for (const [character] of text?.matchAll(BEYOND_ASCII) ?? [])
          if (!this.#asked.has(character)) unknown.add(character);
    if (unknown.size === 0) return;
    for (const character of await this.#ask([...unknown])) this.#lacking.add(character);
    for (const character of unknown) this.#asked.add(character);
  }

  /** Passes on rows after it has learned their characters. */
  async *learning(
    batches: AsyncIterable<readonly Row[]> | Iterable<readonly Row[]>,
  ): AsyncGenerator<readonly Row[], void> {
    for await (const batch of batches) {
      await this.learn(batch);
      yield batch;
    }
  }

  /** The first character of a text that the database cannot hold; its characters must have been learned. */
  lackingIn(text: string): string | undefined {
    if (this.#lacking.size === 0) return undefined;
    for (const [character] of text.matchAll(BEYOND_ASCII)) if (this.#lacking.has(character)) return character;
    return undefined;
  }
}

const BEYOND_ASCII = /[^\0-\x7f]/gu;
