import { FileNotFoundError } from "@perdura/internals/errors/errors.js";
import type { DeclaredKeys } from "@perdura/internals/metrics/keys/declared_keys.js";
import type { PostgresTables, Tables } from "@perdura/postgres/tables";
import type { PoolClient } from "pg";
import { boundsOf, type KeyRange, type Reader, type Unreadable } from "../side.ts";
import {
  type Column,
  type CopiedTable,
  fromPostgres,
  keyOf,
  rawColumn,
  type Row,
  type TableName,
  TEXTS,
} from "../tables.ts";
import { encodingOf, storesUtf8, unreadableValues } from "./server_encoding.ts";

/** Values as PostgreSQL writes them: conversions would change 64-bit numbers and JSON. */
const AS_TEXT = { getTypeParser: () => (text: string) => text };

/** The qualified names of the tables. */
export function namesOf({ names }: Tables): Record<TableName, string> {
  return {
    patterns: names.patterns,
    pattern_usage: names.patternUsage,
    interactions: names.interactions,
    interaction_metadata: names.interactionMetadata,
  };
}

/** Number of rows in memory at a time, fewer if they are large; and number of rows of the first request. */
const AT_ONCE = 2000;
const CHARACTERS_AT_ONCE = 1 << 21;
const FIRST = 100;

/** Reads the tables over a connection whose transaction serves no other purpose. */
export class PostgresReader implements Reader {
  readonly store = "PostgreSQL";
  readonly place: string;
  readonly #client: PoolClient;
  readonly #opened: PostgresTables;
  readonly #tables: Tables;
  readonly #names: Record<TableName, string>;
  readonly #encoding: string;
  #cursors = 0;

  /** @param encoding Encoding of the database. */
  constructor(client: PoolClient, tables: Tables, opened: PostgresTables, encoding: string) {
    this.#client = client;
    this.#opened = opened;
    this.#tables = tables;
    this.#names = namesOf(tables);
    this.place = opened.place;
    this.#encoding = encoding;
  }

  /** Metrics exist from the first interaction on, patterns from the first save on. */
  async has(table: TableName): Promise<boolean> {
    const { meta, patterns, interactions } = this.#tables.names;
    const [[found] = []] = await this.#ask(
      table === "patterns" || table === "pattern_usage"
        ? `SELECT EXISTS (SELECT 1 FROM ${meta} WHERE key = 'library_saved') OR EXISTS (SELECT 1 FROM ${patterns})`
        : `SELECT EXISTS (SELECT 1 FROM ${interactions})`,
    );
    return found === "t";
  }

  async count(table: TableName): Promise<number> {
    const [[count] = []] = await this.#ask(`SELECT count(*) FROM ${this.#names[table]}`);
    return Number(count);
  }

  async highest({ newest }: CopiedTable): Promise<bigint | undefined> {
    const [[text] = []] = await this.#ask(`SELECT max(${newest.column}) FROM ${this.#names[newest.of]}`);
    return typeof text === "string" ? BigInt(text) : undefined;
  }

  async *rows(table: CopiedTable, range: KeyRange = {}): AsyncGenerator<readonly Row[], void> {
    const { where, values } = this.#within(table, range);
    const cursor = `perdura_copy_${(this.#cursors += 1)}`;
    await this.#ask(
      `DECLARE ${cursor} NO SCROLL CURSOR FOR SELECT ${this.#expressions(table)}
       FROM ${this.#names[table.name]} AS own ${where} ORDER BY ${this.#order(table)}`,
      values,
    );
    let asked = FIRST;
    let coming = this.#ask(`FETCH ${asked} FROM ${cursor}`);
    for (;;) {
      const rows = await coming;
      const isEnd = rows.length < asked;
      if (!isEnd) {
        // Requests the next rows while the caller processes these.
        asked = Math.min(AT_ONCE, Math.ceil((CHARACTERS_AT_ONCE * rows.length) / charactersOf(rows)));
        coming = this.#ask(`FETCH ${asked} FROM ${cursor}`);
        // Avoids an unhandled rejection if the caller stops reading.
        coming.catch(() => undefined);
      }
      for (const row of rows)
        for (const [index, column] of table.columns.entries())
          if (column.kind === "real") row[index] = fromPostgres(column, row[index] as string | null);
      if (rows.length > 0) yield rows;
      if (isEnd) break;
    }
    await this.#ask(`CLOSE ${cursor}`);
  }

  async digest(table: CopiedTable, range: KeyRange): Promise<string> {
    const { where, values } = this.#within(table, range);
    const [[digest] = []] = await this.#ask(
      `SELECT encode(sha256(convert_to(coalesce(string_agg(ROW(${this.#expressions(table)})::text, '' ORDER BY ${this.#order(table)}), ''), 'UTF8')), 'hex')
       FROM ${this.#names[table.name]} AS own ${where}`,
      values,
    );
    return digest as string;
  }

  declaredKeys(): Promise<DeclaredKeys> {
    return this.#opened.declaredKeys(this.#client, this.#tables);
  }

  /** All texts of a UTF-8 database can be read. */
  async unreadable(table: CopiedTable): Promise<Unreadable> {
    if (this.#encoding === "UTF8" || !(await this.has(table.name))) return { rows: 0, first: [] };
    const texts = table.columns.filter(({ kind, from }) => TEXTS.has(kind) && from === undefined);
    return unreadableValues(
      this.#client,
      `${this.#names[table.name]} AS own`,
      `own.${keyOf(table).name}`,
      new Map(texts.map((column) => [column.name, this.#expression(column)])),
    );
  }

  /** If the table is partitioned or distributed, other programs may insert rows of several users with one id. */
  #order(table: CopiedTable): string {
    const key = this.#inOrder(table, `own.${keyOf(table).name}`);
    const isOfUsers = table.columns.some(({ name }) => name === "user_id");
    return this.#tables.isSpread && isOfUsers ? `${key}, own.user_id` : key;
  }

  /** Text is sorted by its bytes in UTF-8. */
  #inOrder(table: CopiedTable, key: string): string {
    return keyOf(table).kind === "text" && !storesUtf8(this.#encoding) ? `convert_to(${key}, 'UTF8')` : key;
  }

  #within(table: CopiedTable, range: KeyRange): { where: string; values: string[] } {
    const key = keyOf(table);
    const type = key.kind === "integer" ? "bigint" : "text";
    const bounds = boundsOf(range);
    const own = this.#inOrder(table, `own.${key.name}`);
    const conditions = bounds.map(
      ({ than }, index) => `${own} ${than} ${this.#inOrder(table, `$${index + 1}::${type}`)}`,
    );
    return {
      where: conditions.length === 0 ? "" : `WHERE ${conditions.join(" AND ")}`,
      values: bounds.map((bound) => bound.key),
    };
  }

  #expressions({ columns }: CopiedTable): string {
    return columns.map((column) => this.#expression(column)).join(", ");
  }

  #expression({ name, kind, from, role }: Column): string {
    if (role === "owner" && this.#tables.isSpread) return `own.${name}`;
    if (from !== undefined) return from((table) => this.#names[table]);
    return kind === "json" ? `coalesce(own.${rawColumn(name)}, own.${name}::text)` : `own.${name}`;
  }

  async #ask(text: string, values: readonly string[] = []): Promise<(string | null)[][]> {
    const query = { text, values: [...values], rowMode: "array" as const, types: AS_TEXT };
    const { rows } = await this.#client.query<(string | null)[]>(query);
    return rows;
  }
}

function charactersOf(rows: readonly Row[]): number {
  let characters = 1;
  for (const row of rows) for (const text of row) characters += text?.length ?? 0;
  return characters;
}

/** Reads the tables in PostgreSQL in one snapshot, and closes them afterwards. */
export async function withPostgresSource(
  tables: PostgresTables,
  use: (reader: Reader) => Promise<void>,
): Promise<void> {
  try {
    const present = await tables.look();
    if (present === undefined)
      throw new FileNotFoundError("nothing was saved in this schema yet.", {
        path: tables.place,
      });
    const client = (await tables.connect()) as PoolClient;
    try {
      await tables.begin(client, "read");
      await use(new PostgresReader(client, present, tables, await encodingOf(client)));
    } finally {
      client.release(true);
    }
  } finally {
    await tables.close();
  }
}
