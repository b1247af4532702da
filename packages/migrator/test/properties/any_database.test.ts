import { join } from "node:path";
import { mkdirSync } from "node:fs";
import fc from "fast-check";
import { expect, test } from "vitest";
import { verifyMigration } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { ALL_TABLES, useLayout } from "../layouts/layout_suite.ts";
import { optionsFor, WRITTEN, type Written } from "../layouts/old_table.ts";
import { freshFolder } from "../support/folder.ts";
import { connect, query } from "../../../../test/legacy/legacy_database.ts";
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

const cells = (columns: readonly (string | undefined)[], from: string): string =>
  `SELECT ${["id", ...columns].map((column) => `typeof(${column}) || hex(CAST(${column} AS BLOB)) || quote(${column})`).join(" || '|' || ")} FROM ${from}`;

const WITH_METADATA =
  "(SELECT i.*, m.metadata FROM interactions AS i LEFT JOIN interaction_metadata AS m ON m.interaction_id = i.id)";

test("whatever a table of any layout holds is there afterwards, every cell in its storage class", async () => {
  const folder = freshFolder();
  let run = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...ALL_TABLES),
      fc.array(row, { maxLength: 25 }),
      fc.constantFrom("delete", "wal"),
      fc.array(fc.nat(30), { maxLength: 5 }),
      async (old, rows, journal, deleted) => {
        useLayout(old);
        const { table, names, create } = old;
        const columns = WRITTEN.filter((column) => names[column] !== undefined);
        const former = columns.map((column) => names[column]);
        mkdirSync(join(folder, String((run += 1))));
        const path = join(folder, String(run), "m.db");
        const database = connect(path);
        database.exec(`PRAGMA journal_mode = ${journal}; ${create}`);
        for (const values of rows) {
          const present = values.filter((_value, index) => names[WRITTEN[index] as Written] !== undefined);
          database.exec(`INSERT INTO ${table} (${former.join(", ")}) VALUES (${present.join(", ")})`);
        }
        database.exec(`DELETE FROM ${table} WHERE id IN (${deleted.join(", ")})`);
        const before = database.prepare(cells(former, table)).pluck().all().toSorted();
        database.close();
        const report = await migrate(path, { ...optionsFor(old), invalidRows: "quarantine" });
        expect(report).toMatchObject({
          exit_code: 0,
          databases: [{ status: "migrated", verification: { rows_before: before.length, differences: [] } }],
        });
        const quarantined =
          (report.databases[0]?.verification?.rows_quarantined ?? 0) > 0
            ? query<[string]>(path, cells(former, "perdura_quarantine"))
            : [];
        const kept = query<[string]>(
          path,
          cells(columns, names.metadata === undefined ? "interactions" : WITH_METADATA),
        );
        expect([...kept, ...quarantined].flat().toSorted()).toEqual(before);
        expect((await verifyMigration(path)).exit_code).toBe(0);
      },
    ),
    { numRuns: 60 * RUNS },
  );
});
