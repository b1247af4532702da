import type { DeclaredKeys } from "@perdura/internals/metrics/keys/declared_keys.js";
import type { PostgresTables, Tables } from "@perdura/postgres/tables";
import type { PoolClient } from "pg";
import type { from as copyFrom } from "pg-copy-streams";
import { Repertoire } from "../faults.ts";
import type { Reader, Target } from "../side.ts";
import {
  type Column,
  type CopiedTable,
  keyOf,
  placesOfJson,
  rawColumn,
  type Row,
  type TableName,
  TEXTS,
  withRaw,
} from "../tables.ts";
import { copyInLanes, type Field, lineOf } from "./copy_lanes.ts";
import { beginAdding } from "./copy_lock.ts";
import { namesOf, PostgresReader } from "./postgres_reader.ts";
import { encodingOf, lackingCharacters, storesUtf8 } from "./server_encoding.ts";

/**
 * Number of interactions from which an empty table is filled without its indexes. Adding to the indexes takes longer
 * than adding to the table.
 */
const MANY = 100_000;

/**
 * The tables of perdura in PostgreSQL as a target. It reads, writes and computes sums one after the other if possible,
 * so that one connection is sufficient: opening one takes a server longer than copying a thousand rows.
 */
export class PostgresTarget implements Target {
  readonly store = "PostgreSQL";
  readonly givesDigests = true;
  readonly place: string;
  readonly #tables: PostgresTables;
  readonly #copyFrom: typeof copyFrom;
  readonly #writing: PoolClient[] = [];
  #reading: PoolClient | undefined;
  #encoding: string | undefined;
  /** Pending while {@link refresh} uses the only connection; reading waits for it. */
  #refreshed: Promise<void> | undefined;

  constructor(tables: PostgresTables, from: typeof copyFrom) {
    this.#tables = tables;
    this.#copyFrom = from;
    this.place = tables.place;
  }

  async reader(): Promise<Reader | undefined> {
    this.#endWriting();
    await this.#refreshed;
    const present = await this.#tables.look();
    if (present === undefined) return undefined;
    const client = await this.#read();
    return new PostgresReader(client, present, this.#tables, await this.#encodingFrom(client));
  }

  /** Asks over the reading connection. */
  async repertoire(): Promise<Repertoire | undefined> {
    const client = this.#reading ?? (await this.#read());
    const encoding = await this.#encodingFrom(client);
    if (storesUtf8(encoding)) return undefined;
    return new Repertoire(encoding, (characters) => lackingCharacters(client, characters));
  }

  async prepare(
    tables: readonly CopiedTable[],
    highest: ReadonlyMap<TableName, bigint>,
    interactions: number,
  ): Promise<void> {
    await this.#endReading();
    const present = await this.#tables.ensure();
    const names = namesOf(present);
    await this.#transaction(async (client) => {
      for (const { name, newest } of tables) {
        const above = highest.get(name);
        if (above === undefined || above < 1n || newest.of !== name) continue;
        const [table, column] = [names[name], newest.column];
        // Before the rows, so that other writers get ids above them, or none if the ids are beyond the sequence.
        await client.query(
          `SELECT setval(counter, least($2::bigint, seqmax))
           FROM pg_sequence, (SELECT pg_get_serial_sequence($1, '${column}')::regclass AS counter) AS found
           WHERE seqrelid = counter AND least($2::bigint, seqmax) > coalesce(pg_sequence_last_value(counter), 0)`,
          [table, String(above)],
        );
      }
      if (tables.some(({ name }) => name === "patterns"))
        await client.query(
          `INSERT INTO ${present.names.meta} VALUES ('library_saved', 'yes') ON CONFLICT (key) DO NOTHING`,
        );
      // An earlier copy may have ended before it created them.
      await (interactions < MANY ? this.#tables.createIndexes(client) : this.#tables.dropIndexes(client));
    });
  }

  async add(
    table: CopiedTable,
    rows: AsyncIterable<readonly Row[]>,
    tell: (added: number) => Promise<void>,
  ): Promise<void> {
    await this.#endReading();
    const present = await this.#tables.ensure();
    const written = writtenColumns(table, present);
    const names = written.map(({ name }) => name).join(", ");
    const json = placesOfJson(table);
    const copy = `COPY ${namesOf(present)[table.name]} (${names}) FROM STDIN`;
    await copyInLanes(rows, {
      begin: async (lane) => {
        const client = await this.#client(lane);
        await beginAdding(this.#tables, client, present.names.schemaName);
        return client.query(this.#copyFrom(copy));
      },
      commit: async (lane) => void (await (await this.#client(lane)).query("COMMIT")),
      lines: (row) => lineOf(withRaw(row, json), written),
      tell,
    });
  }

  async change(table: CopiedTable, rows: readonly Row[]): Promise<void> {
    // Rows that refer to interactions are removed with them, and copied again; rows that refer to patterns stay.
    if (table.name !== "patterns")
      return this.remove(
        table,
        rows.map(([key]) => key as string),
      );
    const present = await this.#tables.ensure();
    const written = writtenColumns(table, present);
    const set = written.map(({ name }, place) => `${name} = $${place + 1}`).join(", ");
    const json = placesOfJson(table);
    await this.#transaction(async (client) => {
      for (const row of rows) {
        const stored = withRaw(row, json);
        await client.query(
          `UPDATE ${namesOf(present)[table.name]} SET ${set} WHERE id = $1`,
          written.map(({ index }) => stored[index]),
        );
      }
    });
  }

  async remove(table: CopiedTable, keys: readonly string[]): Promise<void> {
    const names = namesOf(await this.#tables.ensure());
    const key = keyOf(table);
    const type = key.kind === "integer" ? "bigint" : "text";
    await this.#transaction(async (client) => {
      if (table.name === "patterns")
        await client.query(`DELETE FROM ${names.pattern_usage} WHERE pattern_id = ANY ($1::text[])`, [keys]);
      await client.query(`DELETE FROM ${names[table.name]} WHERE ${key.name} = ANY ($1::${type}[])`, [keys]);
    });
  }

  async obstacleToKeys(): ReturnType<PostgresTables["obstacleToKeys"]> {
    await this.#endReading();
    return this.#tables.obstacleToKeys();
  }

  async declareKeys(keys: DeclaredKeys): Promise<void> {
    await this.#endReading();
    await this.#tables.declareKeys(keys);
  }

  refresh(): Promise<void> {
    const hasOneConnection = this.#writing.length < 2;
    this.#endWriting();
    const refreshed = this.#endReading().then(() => this.#tables.refresh());
    if (hasOneConnection) this.#refreshed = refreshed;
    return refreshed;
  }

  /** Closes its own connections; the tables belong to the caller. */
  close(): Promise<void> {
    for (const client of this.#writing) client.release(true);
    this.#reading?.release(true);
    return Promise.resolve();
  }

  /** Returns the connections to the pool for the next task; all rows are committed. */
  #endWriting(): void {
    for (const client of this.#writing.splice(0)) client.release();
  }

  /** Returns the connection to the pool for the next task. */
  async #endReading(): Promise<void> {
    const client = this.#reading;
    this.#reading = undefined;
    let isBroken = true;
    try {
      await client?.query("ROLLBACK");
      isBroken = false;
    } finally {
      client?.release(isBroken);
    }
  }

  /** Runs on the first writing connection. A failure ends the copy and its connections. */
  async #transaction(task: (client: PoolClient) => Promise<void>): Promise<void> {
    const client = await this.#client();
    await this.#tables.begin(client, "write");
    await task(client);
    await client.query("COMMIT");
  }

  /** Starts a read transaction on the present content. */
  async #read(): Promise<PoolClient> {
    this.#reading ??= (await this.#tables.connect()) as PoolClient;
    await this.#reading.query("ROLLBACK");
    await this.#tables.begin(this.#reading, "read");
    return this.#reading;
  }

  async #encodingFrom(client: PoolClient): Promise<string> {
    return (this.#encoding ??= await encodingOf(client));
  }

  async #client(lane: number = 0): Promise<PoolClient> {
    return (this.#writing[lane] ??= (await this.#tables.connect()) as PoolClient);
  }
}

/** The columns of a PostgreSQL table itself, with the index of each in a row of `withRaw`. */
function writtenColumns(table: CopiedTable, { isSpread }: Tables): (Field & { name: string })[] {
  const { columns } = table;
  const own = columns
    .map(({ name, kind, role }, index) => ({ name, index, isText: TEXTS.has(kind), role }))
    .filter(({ role }) => role !== "check" && (role !== "owner" || isSpread));
  const raw = placesOfJson(table).map((place, number) => ({
    name: rawColumn((columns[place] as Column).name),
    index: columns.length + number,
    isText: true,
  }));
  return [...own, ...raw];
}
