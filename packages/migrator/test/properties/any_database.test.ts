import { join } from "node:path";
import { mkdirSync } from "node:fs";
import fc from "fast-check";
import { expect, test } from "vitest";
import { migrate, verifyMigration } from "../../src/index.ts";
import { freshFolder } from "../support/folder.ts";
import { connect, DOCUMENTED_15, FIELD_A, query } from "../../../../test/legacy/legacy_database.ts";
import { RUNS } from "./runs.ts";

/** Any value that a program could have stored in a column, as an SQL literal. */
const literal = fc.oneof(
  fc.integer({ min: -2, max: 8 }).map(String),
  fc.bigInt({ min: -(2n ** 63n) + 1n, max: 2n ** 63n - 1n }).map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value.toExponential(16)),
  fc.constantFrom(
    "9e999",
    "-9e999",
    "0.0",
    "-0.0",
    "'yes'",
    "''",
    "'3'",
    "' 3'",
    "'NaN'",
    "x''",
    "x'00ff'",
    "CAST(x'ff80' AS TEXT)",
    "'a' || char(0) || 'b'",
  ),
  fc
    .string({ unit: "grapheme", maxLength: 12 })
    .map((text) => `CAST(x'${Buffer.from(text.toWellFormed()).toString("hex")}' AS TEXT)`),
);
const orNull = fc.oneof({ weight: 4, arbitrary: literal }, { weight: 1, arbitrary: fc.constant("NULL") });

/** Mostly valid rows, so that both the table and the quarantine are filled. */
const row = fc.tuple(
  fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom("'alice'", "'Alice'", "'bob '") },
    { weight: 1, arbitrary: literal },
  ),
  fc.oneof({ weight: 3, arbitrary: fc.integer({ min: 1, max: 5 }).map(String) }, { weight: 1, arbitrary: literal }),
  fc.oneof({ weight: 3, arbitrary: fc.constantFrom("0", "1") }, { weight: 1, arbitrary: literal }),
  orNull,
  orNull,
  orNull,
);

const COLUMNS = ["user_id", "empathy_level", "success", "response_time_ms", "timestamp"];
const cells = (columns: readonly string[], from: string): string =>
  `SELECT ${["id", ...columns].map((column) => `typeof(${column}) || hex(CAST(${column} AS BLOB)) || quote(${column})`).join(" || '|' || ")} FROM ${from}`;

test.each([
  {
    table: "interactions",
    schema: DOCUMENTED_15,
    columns: COLUMNS,
    after: "(SELECT *, level AS empathy_level FROM interactions)",
  },
  {
    table: "metrics",
    schema: FIELD_A,
    columns: [...COLUMNS, "metadata"],
    after:
      "(SELECT i.*, i.level AS empathy_level, m.metadata FROM interactions AS i LEFT JOIN interaction_metadata AS m ON m.interaction_id = i.id)",
  },
])(
  "whatever $table holds is there afterwards, every cell in its storage class",
  async ({ table, schema, columns, after }) => {
    const folder = freshFolder();
    let run = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(row, { maxLength: 25 }),
        fc.constantFrom("delete", "wal"),
        fc.array(fc.nat(30), { maxLength: 5 }),
        async (rows, journal, deleted) => {
          mkdirSync(join(folder, String((run += 1))));
          const path = join(folder, String(run), "m.db");
          const database = connect(path);
          database.exec(`PRAGMA journal_mode = ${journal}; ${schema}`);
          for (const values of rows)
            database.exec(
              `INSERT INTO ${table} (${columns.join(", ")}) VALUES (${values.slice(0, columns.length).join(", ")})`,
            );
          database.exec(`DELETE FROM ${table} WHERE id IN (${deleted.join(", ")})`);
          const before = database.prepare(cells(columns, table)).pluck().all().toSorted();
          database.close();
          const report = await migrate(path, { invalidRows: "quarantine", saveReport: false });
          expect(report).toMatchObject({
            exit_code: 0,
            databases: [{ status: "migrated", verification: { rows_before: before.length, differences: [] } }],
          });
          const quarantined =
            (report.databases[0]?.verification?.rows_quarantined ?? 0) > 0
              ? query<[string]>(path, cells(columns, "perdura_quarantine"))
              : [];
          expect([...query<[string]>(path, cells(columns, after)), ...quarantined].flat().toSorted()).toEqual(before);
          expect((await verifyMigration(path)).exit_code).toBe(0);
        },
      ),
      { numRuns: 30 * RUNS },
    );
  },
);
