import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { createPatternTables } from "@perdura/internals/patterns/sqlite_schema.js";
import { metricsSchema } from "@perdura/internals/metrics/schema.js";
import Database from "better-sqlite3";
import fc from "fast-check";
import pg from "pg";
import { onTestFinished } from "vitest";
import { ANY_CHARACTER } from "../../../../test/any_character.ts";

/** A unique name of a schema; an unusual one, since any name is allowed. */
export function newSchema(): string {
  return `odd "name" ${randomBytes(4).toString("hex")}`;
}

/** A connection like that of any other program; tables are found without naming the schema. */
export async function otherProgram(url: string, schema: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  onTestFinished(() => client.end());
  await client.query(`SELECT set_config('search_path', $1, false)`, [`"${schema.replaceAll('"', '""')}"`]);
  return client;
}

/** Generated rows of the tables, as values for SQLite. */
export interface Rows {
  patterns: unknown[][];
  usage: unknown[][];
  interactions: unknown[][];
  metadata: unknown[][];
}

const text = fc
  .string({ unit: ANY_CHARACTER, maxLength: 12 })
  .filter((value) => value.isWellFormed() && !value.includes("\0"));
const time = fc.option(text.filter((value) => !/^\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?\s*$/i.test(value)));
/** JSON, or other text that programs left in a column for JSON. */
const json = fc.oneof(
  {
    weight: 3,
    arbitrary: fc
      .json()
      .filter((value) => value.isWellFormed())
      .map((value) => ` ${value}\n`),
  },
  fc.constantFrom("NaN", '{"a": -Infinity}', "", "null", "{"),
  text,
);
const count = fc.bigInt({ min: 0n, max: 2n ** 62n });
const real = fc.option(fc.double({ noNaN: true }));
const rowId = fc.oneof(fc.bigInt({ min: 1n, max: 60n }), fc.bigInt({ min: -(2n ** 63n), max: 2n ** 62n }));
const bool = fc.constantFrom(0n, 1n);

export const anyRows: fc.Arbitrary<Rows> = fc
  .record({
    patterns: fc.uniqueArray(
      fc.tuple(
        text,
        text,
        text,
        text,
        fc.option(text),
        fc.option(json),
        fc.option(text),
        real,
        count,
        count,
        count,
        fc.option(json),
        time,
        time,
        time,
        rowId,
      ),
      { maxLength: 8, comparator: (left, right) => left[0] === right[0] || left[15] === right[15] },
    ),
    usage: fc.uniqueArray(fc.tuple(rowId, fc.nat(), text, bool, time), { maxLength: 8, selector: ([key]) => key }),
    interactions: fc.uniqueArray(
      fc.tuple(rowId, text, fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }).map(BigInt), bool, real, time),
      { maxLength: 30, selector: ([key]) => key },
    ),
    metadata: fc.array(fc.option(json), { minLength: 30, maxLength: 30 }),
  })
  .map(({ patterns, usage, interactions, metadata }) => ({
    patterns,
    usage:
      patterns.length === 0
        ? []
        : usage.map(([key, which, ...rest]) => [key, patterns[which % patterns.length]?.[0], ...rest]),
    interactions,
    metadata: interactions.flatMap(([key], index) => (metadata[index] === null ? [] : [[key, metadata[index]]])),
  }));

/** A row of patterns for {@link makeDatabase}. */
export function patternRow(
  id: string,
  position: bigint,
  { context = null as string | null, tags = null as string | null } = {},
): unknown[] {
  return [id, "a", "t", "n", null, context, null, 0.5, 0n, 0n, 0n, tags, null, null, null, position];
}

const INSERTS = {
  patterns:
    "INSERT INTO patterns (id, agent_id, pattern_type, name, description, context, code, confidence, usage_count, success_count, failure_count, tags, discovered_at, last_used, updated_at, rowid) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
  usage: "INSERT INTO pattern_usage VALUES (?,?,?,?,?)",
  interactions: "INSERT INTO interactions VALUES (?,?,?,?,?,?)",
  metadata: "INSERT INTO interaction_metadata VALUES (?,?)",
};

/** Makes a database in the 16+ layout with patterns and metrics. */
export function makeDatabase(path: string, rows: Partial<Rows> = {}): string {
  const database = new Database(path);
  createPatternTables(database, path);
  for (const create of metricsSchema("level")) database.exec(create);
  database.transaction(() => {
    for (const [name, sql] of Object.entries(INSERTS)) {
      const insert = database.prepare(sql);
      for (const row of rows[name as keyof Rows] ?? []) insert.run(...row);
    }
  })();
  database.close();
  return path;
}

/** Every value of every row with its type, according to SQLite. */
export function contentOf(path: string): Record<string, unknown[]> {
  const content: Record<string, unknown[]> = {};
  const files =
    existsSync(join(path, "metrics.db")) || existsSync(join(path, "patterns.db"))
      ? [join(path, "patterns.db"), join(path, "metrics.db")].filter((file) => existsSync(file))
      : [path];
  for (const file of files) {
    const database = new Database(file, { readonly: true });
    for (const table of ["patterns", "pattern_usage", "interactions", "interaction_metadata"]) {
      const columns = database.prepare("SELECT name FROM pragma_table_info(?)").pluck().all(table) as string[];
      if (columns.length === 0) continue;
      const values = columns.flatMap((name) => [name, `typeof(${name})`, `hex(${name})`]);
      content[table] = database
        .prepare(`SELECT rowid, ${values.join(", ")} FROM ${table} ORDER BY rowid`)
        .raw()
        .safeIntegers()
        .all()
        .map((row) => (row as unknown[]).map(String).join("|"));
    }
    database.close();
  }
  return content;
}
