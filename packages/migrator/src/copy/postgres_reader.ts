import type { Tables } from "@perdura/postgres/tables";
import type { PoolClient } from "pg";
import { fromPostgres, type Row } from "./row_values.ts";
import type { KeyRange, Reader } from "./side.ts";
import { type Column, type CopiedTable, keyOf, type TableName } from "./tables.ts";

/** Rows that are in memory at a time. */
const AT_ONCE = 2000;

/** As PostgreSQL writes it: numbers of 64 bits and JSON would be changed otherwise. */
const AS_TEXT = { getTypeParser: () => (text: string) => text };

/** How the tables are called, by the names that perdura has for them. */
export function namesOf({ names }: Tables): Record<TableName, string> {
  return {
    patterns: names.patterns,
    pattern_usage: names.patternUsage,
    interactions: names.interactions,
    interaction_metadata: names.interactionMetadata,
  };
}

/** Reads the tables over a connection in whose transaction nothing else is done. */
export class PostgresReader implements Reader {
  readonly store = "PostgreSQL";
  readonly place: string;
  readonly #client: PoolClient;
  readonly #tables: Tables;
  readonly #names: Record<TableName, string>;
  #cursors = 0;

  constructor(client: PoolClient, tables: Tables, place: string) {
    this.#client = client;
    this.#tables = tables;
    this.#names = namesOf(tables);
    this.place = place;
  }

  /** Metrics are there with the first interaction, patterns with the first save. */
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
    const key = keyOf(table);
    const type = key.kind === "integer" ? "bigint" : "text";
    const bounds = [
      ...(range.first === undefined ? [] : [{ than: ">=", value: range.first }]),
      ...(range.last === undefined ? [] : [{ than: "<=", value: range.last }]),
    ];
    const where = bounds.map(({ than }, index) => `own.${key.name} ${than} $${index + 1}::${type}`).join(" AND ");
    const cursor = `perdura_copy_${(this.#cursors += 1)}`;
    await this.#ask(
      `DECLARE ${cursor} NO SCROLL CURSOR FOR SELECT ${table.columns.map((column) => this.#expression(column)).join(", ")}
       FROM ${this.#names[table.name]} AS own ${where === "" ? "" : `WHERE ${where}`} ORDER BY own.${key.name}`,
      bounds.map(({ value }) => value),
    );
    // The next rows are on their way while the caller looks at these.
    let coming = this.#ask(`FETCH ${AT_ONCE} FROM ${cursor}`);
    for (;;) {
      const rows = await coming;
      if (rows.length === AT_ONCE) {
        coming = this.#ask(`FETCH ${AT_ONCE} FROM ${cursor}`);
        // Whoever stops reading does not wait for it.
        coming.catch(() => undefined);
      }
      for (const row of rows)
        for (const [index, column] of table.columns.entries())
          if (column.kind === "real") row[index] = fromPostgres(column, row[index] as string | null);
      if (rows.length > 0) yield rows;
      if (rows.length < AT_ONCE) break;
    }
    await this.#ask(`CLOSE ${cursor}`);
  }

  #expression({ name, from }: Column): string {
    return from === undefined ? name : from((table) => this.#names[table]);
  }

  async #ask(text: string, values: readonly string[] = []): Promise<(string | null)[][]> {
    const query = { text, values: [...values], rowMode: "array" as const, types: AS_TEXT };
    const { rows } = await this.#client.query<(string | null)[]>(query);
    return rows;
  }
}
