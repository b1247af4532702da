import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { verifyMigration } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { proveDatabase } from "../../src/database/proof/prove_database.ts";
import { metricsTableOf, secondTableOf } from "../../src/database/layouts/layout.ts";
import { knownTables } from "../../src/database/layouts/table_layouts.ts";
import { readCatalog } from "../../src/database/sql/catalog.ts";
import { recognise } from "../../src/database/layouts/known_layouts.ts";
import { freshFolder } from "../support/folder.ts";
import { connect, DOCUMENTED_15, FIELD_A, makeDatabase, query } from "../../../../test/legacy/legacy_database.ts";
import { RUNS } from "./runs.ts";

const COLUMNS = "user_id, empathy_level, success, response_time_ms, timestamp";

/** A row as SQL, mostly one that version 16 can hold. */
const values = fc
  .tuple(
    fc.constantFrom("'a'", "'A'", "'b '", "''", "5", "x'00'"),
    fc.oneof(
      { weight: 6, arbitrary: fc.constantFrom("1", "2", "3", "4", "5") },
      { weight: 1, arbitrary: fc.constantFrom("0", "'x'", "2.5") },
    ),
    fc.constantFrom("0", "1", "'yes'", "2"),
    fc.constantFrom("NULL", "1.5", "9e999", "'slow'", "-0.0"),
    fc.constantFrom(
      "NULL",
      "'2024-01-01 00:00:00'",
      "'2024-01-01T00:00:00'",
      "'2025-05-05 10:00:00'",
      "7",
      "'~'",
      "x'ff'",
    ),
    fc.constantFrom("NULL", "'{\"n\": NaN}'", "''", "x'ff00'", "CAST(x'ff80' AS TEXT)"),
  )
  .map((cells) => cells.join(", "));
const rows = fc.uniqueArray(fc.tuple(fc.oneof(fc.integer({ min: -5, max: 20 }), fc.maxSafeInteger()), values), {
  selector: ([id]) => id,
  maxLength: 8,
});

/** Every row with its storage classes, by its id in its original table. */
const cells = (from: string, id: string, level: string): string =>
  `SELECT ${id} || '|' || ${["user_id", level, "success", "response_time_ms", "timestamp", "metadata"].map((column) => `typeof(${column}) || quote(${column})`).join(" || '|' || ")} FROM ${from}`;

test("merges any two tables with every value and storage class, or changes nothing", async () => {
  const folder = freshFolder();
  let run = 0;
  await fc.assert(
    fc.asyncProperty(rows, rows, fc.boolean(), async (first, second, dropLast) => {
      const path = join(folder, `${(run += 1)}.db`);
      makeDatabase(
        path,
        DOCUMENTED_15,
        FIELD_A,
        "CREATE TABLE interaction_metadata (interaction_id INTEGER PRIMARY KEY REFERENCES interactions(id), metadata TEXT NOT NULL)",
        ...first.map(
          ([id, row]) =>
            `INSERT INTO interactions (id, ${COLUMNS}) SELECT ${id}, ${row.slice(0, row.lastIndexOf(", "))}`,
        ),
        ...second.map(([id, row]) => `INSERT INTO metrics (id, ${COLUMNS}, metadata) VALUES (${id}, ${row})`),
        ...(dropLast ? ["DELETE FROM interactions WHERE id = (SELECT max(id) FROM interactions)"] : []),
      );
      const before = [
        ...query<[string]>(
          path,
          cells("(SELECT *, NULL AS metadata FROM interactions)", "'first ' || id", "empathy_level"),
        ),
        ...query<[string]>(path, cells("metrics", "'second ' || id", "empathy_level")),
      ].flat();
      const report = await migrate(path, { invalidRows: "quarantine", saveReport: false });
      const [database] = report.databases;
      if (report.exit_code === 3) {
        expect(database?.reason).toContain("ids beyond 2^53");
        expect([...first, ...second].some(([id]) => Math.abs(id) > 2 ** 50)).toBe(true);
        return;
      }
      expect(database).toMatchObject({ status: "migrated", verification: { differences: [] } });
      const {
        first_id: low,
        last_id: high,
        id_offset: offset,
      } = database?.merged ?? { first_id: 0, last_id: 0, id_offset: 0 };
      const origin =
        low === null
          ? "'first ' || id"
          : `iif(id BETWEEN ${low} AND ${high}, 'second ' || (id - ${offset}), 'first ' || id)`;
      const one = "(SELECT * FROM interactions LEFT JOIN interaction_metadata ON interaction_id = id)";
      const after = query<[string]>(path, cells(one, origin, "level")).flat();
      if ((database?.verification?.rows_quarantined ?? 0) > 0)
        after.push(
          ...query<[string]>(
            path,
            cells("perdura_quarantine", "iif(perdura_source = 'metrics', 'second ', 'first ') || id", "empathy_level"),
          ).flat(),
        );
      expect(after.toSorted()).toEqual(before.toSorted());
      expect((await verifyMigration(path)).exit_code).toBe(0);
    }),
    { numRuns: 15 * RUNS },
  );
});

function outcomeOf<Result>(work: Generator<unknown, Result>): Result {
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return value;
  }
}

test("the proof fails for a row of neither table", async () => {
  const path = join(freshFolder(), "m.db");
  makeDatabase(
    path,
    DOCUMENTED_15,
    FIELD_A,
    "INSERT INTO metrics (user_id, empathy_level, success) VALUES ('a', 1, 1)",
  );
  expect(await migrate(path)).toMatchObject({ exit_code: 0 });
  const backup = connect(`${path}.v15.bak`, { readonly: true });
  const catalog = readCatalog(backup, knownTables());
  const layout = recognise(catalog);
  backup.close();
  const database = connect(path);
  database.prepare("ATTACH ? AS backup").run(`${path}.v15.bak`);
  const subject = {
    database,
    before: metricsTableOf(catalog, layout),
    second: secondTableOf(catalog, layout),
    added: null,
    dropped: ["idx_user_level", "idx_timestamp"],
    written: new Set<string>(),
    later: false,
  };
  expect(outcomeOf(proveDatabase(subject)).differences).toEqual([]);
  database.exec(
    "INSERT INTO interactions (id, user_id, level, success) VALUES (99, 'b', 1, 1); INSERT INTO interaction_metadata VALUES (99, 'x')",
  );
  expect(outcomeOf(proveDatabase(subject)).differences).toEqual(
    expect.arrayContaining(["1 row of interaction_metadata did not exist in either table before"]),
  );
  database.close();
});
