import { join } from "node:path";
import Database from "better-sqlite3";
import fc from "fast-check";
import { expect, test } from "vitest";
import { unsupportedCandidates, sqliteRows } from "../../src/copy/sqlite/sqlite_reader.ts";
import { faultOf } from "../../src/copy/faults.ts";
import { type Row, type CopiedTable, TABLES } from "../../src/copy/tables.ts";
import { freshFolder } from "../support/folder.ts";
import { ANY_CHARACTER } from "../../../../test/any_character.ts";

const LOWEST = -(2n ** 63n);

/** Any value that SQLite accepts; a value with the prefix `text:` is bytes that SQLite stores as text. */
const value = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.constantFrom<unknown>(null, 0n, 1n, 3n, 2n ** 31n - 1n, 2n ** 31n, -(2n ** 31n) - 1n, 1.5),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom<unknown>("plain", "2025-01-01 00:00:00", "", "~ !", "\u007f", "é", "\ufffd"),
  },
  fc.double({ noNaN: true }),
  fc.string({ unit: ANY_CHARACTER, maxLength: 4 }),
  fc.string({ maxLength: 3 }).map((text) => `${text}\0${text}`),
  fc.uint8Array({ maxLength: 3 }).map((bytes) => Buffer.from(bytes)),
);
const isText = fc.boolean();

test("rows that are not checked have no fault", () => {
  const path = join(freshFolder(), "odd.db");
  const interactions = TABLES.find(({ name }) => name === "interactions") as CopiedTable;
  const faultsOf = (rows: readonly Row[]): unknown[] =>
    rows.map((row) => faultOf(interactions, row, "PostgreSQL")).filter((fault) => fault !== undefined);
  const database = new Database(path);
  database.pragma("journal_mode = OFF");
  database.pragma("synchronous = OFF");
  // Without types, so that every column accepts every value.
  database.exec(
    "CREATE TABLE interactions (id INTEGER PRIMARY KEY, user_id, level, success, response_time_ms, timestamp)",
  );
  const as = (text: boolean): string => (text ? "CAST(? AS TEXT)" : "?");
  const plain = [LOWEST, "u", 3n, 1n, 1.5, "then"];
  fc.assert(
    fc.property(
      fc.uniqueArray(
        fc.oneof(fc.constantFrom(LOWEST, 2n ** 63n - 1n), fc.bigInt({ min: LOWEST, max: 2n ** 63n - 1n })),
        {
          minLength: 1,
          maxLength: 8,
        },
      ),
      fc.array(fc.tuple(fc.nat({ max: 4 }), value, isText), { minLength: 8, maxLength: 8 }),
      (ids, oddities) => {
        database.exec("DELETE FROM interactions");
        for (const [index, id] of ids.entries()) {
          const [which, unusual, text] = oddities[index] as [number, unknown, boolean];
          const row = plain.with(0, id).with(which + 1, unusual as string);
          const values = row.map((_, place) => as(text && place === which + 1 && Buffer.isBuffer(unusual)));
          database.prepare(`INSERT INTO interactions VALUES (${values.join(", ")})`).run(...row);
        }
        const all = [...sqliteRows(database, path, interactions, { where: "", values: [] })].flat();
        const seen = [...unsupportedCandidates(database, path, interactions, 3)];
        expect(faultsOf(seen.flatMap(({ rows }) => rows))).toEqual(faultsOf(all));
        expect(seen.reduce((sum, part) => sum + part.seen, 0)).toBe(ids.length);
      },
    ),
    { numRuns: 500 },
  );
  database.close();
});
