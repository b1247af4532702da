import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { MetricsCollector } from "@perdura/v16";
import { describe, expect, test } from "vitest";
import { fixture } from "../../../../fixtures/paths.ts";
import { downgradeMigration, migrate, migrationStatus, planMigration, verifyMigration } from "../../src/index.ts";
import { freshFolder, stampOf } from "../support/folder.ts";
import { connect, DOCUMENTED_15, makeDatabase, query } from "../../../../test/legacy/legacy_database.ts";

/** Every cell of the rows with its storage class, as text that no conversion can change. */
const cells = (columns: string[], from: string): string =>
  `SELECT ${columns.map((column) => `typeof(${column}) || hex(CAST(${column} AS BLOB)) || quote(${column})`).join(", ")} FROM ${from} ORDER BY 1`;
const SHARED = ["id", "user_id", "success", "response_time_ms", "timestamp"];

describe.each([
  ["field-a-invalid", "metrics", ["metadata"]],
  ["documented-15-invalid", "interactions", []],
])("%s", (name, table, more) => {
  test("is not changed without a decision about invalid rows", async () => {
    const folder = freshFolder();
    copyFileSync(fixture("legacy", `${name}.db`), join(folder, "m.db"));
    const before = stampOf(folder);
    expect(await migrate(folder)).toMatchObject({ exit_code: 3, databases: [{ status: "refused" }] });
    expect(stampOf(folder)).toBe(before);
  });

  test("keeps every value of every row, in the table or in quarantine", async () => {
    const path = join(freshFolder(), "m.db");
    copyFileSync(fixture("legacy", `${name}.db`), path);
    const original = query(path, cells([...SHARED, "empathy_level", ...more], table));
    const report = await migrate(path, { invalidRows: "quarantine" });
    expect(report).toMatchObject({
      exit_code: 0,
      databases: [{ verification: { rows_before: 40, rows_after: 29, rows_quarantined: 11, differences: [] } }],
    });
    const metadata =
      more.length === 0
        ? ""
        : ", (SELECT m.metadata FROM interaction_metadata AS m WHERE m.interaction_id = interactions.id) AS metadata";
    const kept = query(
      path,
      cells(
        [...SHARED, "empathy_level", ...more],
        `(SELECT ${SHARED.join(", ")}, level AS empathy_level${metadata} FROM interactions)`,
      ),
    );
    const quarantined = query(path, cells([...SHARED, "empathy_level", ...more], "perdura_quarantine"));
    expect([...kept, ...quarantined].toSorted()).toEqual(original.toSorted());
    expect(
      query(path, "SELECT count(*) FROM interactions WHERE typeof(level) <> 'integer' OR level NOT BETWEEN 1 AND 5"),
    ).toEqual([[0n]]);
    expect(query(path, "SELECT perdura_reason FROM perdura_quarantine WHERE id = 30")).toEqual([
      ["the level is outside 1 to 5; the response time is not a number"],
    ]);
    expect((await verifyMigration(path)).exit_code).toBe(0);
  });
});

test("names user ids that are not UTF-8, quarantines their rows, and restores every byte", async () => {
  const path = join(freshFolder(), "m.db");
  makeDatabase(path, DOCUMENTED_15);
  makeDatabase(
    path,
    `INSERT INTO interactions (user_id, empathy_level, success) VALUES
       ('Ж', 1, 1), (CAST(x'4aff' AS TEXT), 1, 1), (CAST(x'6100ff' AS TEXT), 2, 1), ('\ufffd', 1, 1)`,
  );
  const stored = cells(["id", "user_id"], "interactions");
  const before = query(path, stored);
  expect(await migrate(path)).toMatchObject({
    exit_code: 3,
    databases: [{ unusual_rows: [{ kind: "user_id_not_utf8", rows: 2, blocks: true, row_ids: ["2", "3"] }, {}] }],
  });
  expect(await migrate(path, { invalidRows: "quarantine" })).toMatchObject({ exit_code: 0 });
  expect(query(path, "SELECT user_id FROM interactions ORDER BY id")).toEqual([["Ж"], ["\ufffd"]]);
  expect((await verifyMigration(path)).exit_code).toBe(0);
  expect(await downgradeMigration(path)).toMatchObject({ exit_code: 0 });
  expect(query(path, stored)).toEqual(before);
});

test("names rows of other programs that a table of version 16 cannot hold", async () => {
  const path = join(freshFolder(), "m.db");
  new MetricsCollector(path).close();
  makeDatabase(
    path,
    "INSERT INTO interactions (user_id, level, success) VALUES ('u', 9, 1), (x'61', 7, 1), ('u', 3, 5)",
  );
  const invalid = {
    notes: [expect.stringContaining("2 rows of interactions are invalid in version 16")],
    unusual_rows: [
      { kind: "level_out_of_range", row_ids: ["1", "2"] },
      { kind: "user_id_not_text", row_ids: ["2"] },
    ],
  };
  expect(await planMigration(path)).toMatchObject({
    exit_code: 0,
    databases: [{ status: "nothing_to_do", notes: invalid.notes }],
  });
  expect(await migrationStatus(path)).toMatchObject({ databases: [invalid] });
  expect(await verifyMigration(path)).toMatchObject({ databases: [{ status: "not_compared", ...invalid }] });
});

test("quarantined rows fire the triggers of the user and take their metadata with them", async () => {
  const path = join(freshFolder(), "m.db");
  makeDatabase(
    path,
    DOCUMENTED_15,
    `CREATE TABLE interaction_metadata (interaction_id INTEGER PRIMARY KEY REFERENCES interactions(id) ON DELETE CASCADE, metadata TEXT NOT NULL);
    CREATE TABLE audit (what); CREATE TRIGGER log AFTER DELETE ON interactions BEGIN INSERT INTO audit VALUES (OLD.id); END;
    INSERT INTO interactions (user_id, empathy_level, success) VALUES ('a', 3, 1), ('b', 9, 0);
    INSERT INTO interaction_metadata VALUES (1, '{"kept": 1.0}'), (2, '{"aside": NaN}');`,
  );
  expect(await migrate(path, { invalidRows: "quarantine" })).toMatchObject({
    exit_code: 0,
    databases: [{ verification: { metadata_rows: 2 } }],
  });
  expect(query(path, "SELECT * FROM audit")).toEqual([[2n]]);
  expect(query(path, "SELECT id, metadata FROM perdura_quarantine")).toEqual([[2n, '{"aside": NaN}']]);
  expect(query(path, "SELECT * FROM interaction_metadata")).toEqual([[1n, '{"kept": 1.0}']]);
  expect(query(path, "SELECT sql FROM sqlite_schema WHERE type = 'trigger'")[0]).toEqual([
    expect.stringContaining("AFTER DELETE ON interactions"),
  ]);
});

test("does not quarantine a row that a table of the user refers to", async () => {
  const path = join(freshFolder(), "m.db");
  makeDatabase(
    path,
    DOCUMENTED_15,
    "INSERT INTO interactions (user_id, empathy_level, success) VALUES ('b', 9, 0); CREATE TABLE notes (of REFERENCES interactions(id)); INSERT INTO notes VALUES (1)",
  );
  const report = await migrate(path, { invalidRows: "quarantine" });
  expect(report).toMatchObject({
    exit_code: 3,
    databases: [{ status: "refused", reason: expect.stringContaining("notes") }],
  });
  const database = connect(path);
  expect(database.prepare("SELECT empathy_level FROM interactions").pluck().all()).toEqual([9]);
  database.close();
});
