import { join } from "node:path";
import { PostgresTables } from "@perdura/postgres/tables";
import { describeWithPostgres } from "@perdura/test-servers/postgres/for_tests.js";
import Database from "better-sqlite3";
import fc from "fast-check";
import type { PoolClient } from "pg";
import { expect, onTestFinished, test } from "vitest";
import { type Comparison, compareRows, nothingCompared } from "../../src/copy/compare_tables.ts";
import { PostgresReader } from "../../src/copy/postgres/postgres_reader.ts";
import { type Row, type CopiedTable, TABLES } from "../../src/copy/tables.ts";
import type { Reader } from "../../src/copy/side.ts";
import { SqliteReader } from "../../src/copy/sqlite/sqlite_reader.ts";
import { verifyTable, WrittenPieces } from "../../src/copy/written_pieces.ts";
import { copyData } from "../../src/index.ts";
import { freshFolder } from "../support/folder.ts";
import { anyRows, makeDatabase, newSchema, patternRow, type Rows } from "./both_sides.ts";

const silent = (): Promise<void> => Promise.resolve();

async function noted(table: CopiedTable, source: Reader, rowsOfPiece: number): Promise<WrittenPieces> {
  const written = new WrittenPieces(rowsOfPiece);
  const oneByOne = async function* (): AsyncGenerator<readonly Row[], void> {
    for await (const batch of source.rows(table)) for (const row of batch) yield [row];
  };
  for await (const [row] of written.through(oneByOne())) expect(row).toBeDefined();
  return written;
}

/** The common part of both comparisons; ranges of missing rows may be split at the ends of pieces. */
function essence(found: Comparison): Comparison {
  return { ...found, missingRanges: [] };
}

/** True for a number that PostgreSQL and JavaScript write in the same way. */
function isPlain(value: unknown): boolean {
  return typeof value !== "number" || value === 0 || (Math.abs(value) >= 1e-4 && Math.abs(value) < 1e15);
}

/** Makes a database, its copy, and a reader of each. */
async function copied(url: string, path: string, rows: Partial<Rows>, partitions?: number) {
  const schema = newSchema();
  const made = new PostgresTables(url, { schema, partitions });
  await made.ensure();
  await made.close();
  const source = makeDatabase(path, rows);
  expect(await copyData(source, url, { schema })).toMatchObject({ exit_code: 0, verified: true });
  const database = new Database(source, { readonly: true });
  const tables = new PostgresTables(url, { schema });
  const client = (await tables.connect()) as PoolClient;
  const close = async (): Promise<void> => {
    database.close();
    client.release(true);
    await tables.close();
  };
  const reader = new SqliteReader(database, source);
  return {
    schema,
    source: reader,
    target: new PostgresReader(client, await tables.ensure(), tables, "UTF8"),
    client,
    close,
  };
}

const RUNS = 25 * Number(process.env["PERDURA_RUNS"] ?? 1);

/** The row at a position. */
const ONE = "id = (SELECT id FROM interactions ORDER BY id OFFSET $1 LIMIT 1)";

describeWithPostgres("comparing by digests", (postgres) => {
  test("the server computes equal digests of equal rows", async () => {
    const folder = freshFolder();
    let run = 0;
    await fc.assert(
      fc.asyncProperty(anyRows, fc.integer({ min: 1, max: 9 }), async (rows, rowsOfPiece) => {
        run += 1;
        const plain = {
          ...rows,
          patterns: rows.patterns.map((row) => row.map((value) => (isPlain(value) ? value : 0.1))),
          interactions: rows.interactions.map((row) => row.map((value) => (isPlain(value) ? value : 0.1))),
        };
        const { source, target, close } = await copied(postgres.url, join(folder, `${run}.db`), plain);
        for (const table of TABLES)
          for (const { range, digest } of (await noted(table, source, rowsOfPiece)).pieces)
            expect(await target.digest(table, range)).toBe(digest);
        await close();
      }),
      { numRuns: 15 },
    );
  });

  test("finds the same changes as a comparison of every row", async () => {
    const folder = freshFolder();
    let run = 0;
    const change = fc.record({
      sql: fc.constantFrom(
        `DELETE FROM interactions WHERE ${ONE}`,
        `UPDATE interactions SET level = level # 1 WHERE ${ONE}`,
        `UPDATE interactions SET response_time_ms = NULL WHERE ${ONE}`,
        // In partitions, metadata references the user as well.
        `UPDATE interactions SET user_id = user_id || ' ' WHERE ${ONE} AND id NOT IN (SELECT interaction_id FROM interaction_metadata)`,
        "INSERT INTO interactions (id, user_id, level, success) VALUES ($1, '', 1, true) ON CONFLICT DO NOTHING",
      ),
      id: fc.integer({ min: 0, max: 20 }),
    });
    await fc.assert(
      fc.asyncProperty(
        anyRows,
        fc.array(change, { maxLength: 4 }),
        fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 9 })),
        fc.constantFrom(undefined, 3),
        async (rows, changes, rowsOfPiece, partitions) => {
          run += 1;
          const path = join(folder, `${run}.db`);
          const { source, target, schema, client, close } = await copied(postgres.url, path, rows, partitions);
          await client.query("SELECT set_config('search_path', $1, false)", [`"${schema.replaceAll('"', '""')}"`]);
          for (const { sql, id } of changes) await client.query(sql, [id]);
          await client.query("BEGIN");
          for (const table of TABLES) {
            const compared = { table, source, target, into: "PostgreSQL" as const };
            const one = nothingCompared();
            await compareRows(compared, {}, one, silent);
            const { pieces } = await noted(table, source, rowsOfPiece);
            expect(essence(await verifyTable(compared, pieces, silent))).toEqual(essence(one));
          }
          await close();
        },
      ),
      { numRuns: RUNS },
    );
  });

  test("pieces include rows of the target between them; large rows are compared by value", async () => {
    const large = JSON.stringify("x".repeat(5_000_000));
    const { source, target, client, close } = await copied(postgres.url, join(freshFolder(), "p.db"), {
      patterns: [
        patternRow("a", 1n, { context: "{}" }),
        patternRow("b", 2n, { context: large }),
        patternRow("c", 3n, { context: "{}" }),
        patternRow("e", 4n, { context: "{}" }),
      ],
    });
    onTestFinished(close);
    const [table] = TABLES as [CopiedTable];
    const { pieces } = await noted(table, source, 1);
    expect(pieces.map(({ range, rows }) => [range, rows])).toEqual([
      [{ first: "a", last: "a" }, 1],
      [{ after: "b", last: "c" }, 1],
      [{ after: "c", last: "e" }, 1],
    ]);
    await client.query("BEGIN");
    const names = { table, source, target, into: "PostgreSQL" as const };
    expect(await verifyTable(names, pieces, silent)).toMatchObject({ rows: 4, equal: 4, extra: [], missing: 0 });
  });
});
