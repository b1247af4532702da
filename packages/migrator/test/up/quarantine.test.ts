import { copyFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { MetricsCollector } from "@perdura/v16";
import { describe, expect, test } from "vitest";
import { fixture } from "../../../../fixtures/paths.ts";
import { downgradeMigration, migrationStatus, planMigration, verifyMigration } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { hasLevels, layoutSuite } from "../layouts/layout_suite.ts";
import { insertion, optionsFor } from "../layouts/old_table.ts";
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

describe("rows of other programs in a table of version 16", () => {
  /** A database that version 16 made, with metadata and sums, and with rows that it cannot hold. */
  function withForeignRows(): string {
    const path = join(freshFolder(), "m.db");
    record(path, "u");
    makeDatabase(
      path,
      `INSERT INTO interactions (user_id, level, success, response_time_ms, timestamp) VALUES
         ('u', 9, 1, 1.5, '2026-01-01 00:00:00'), (x'61', '1', 1, NULL, NULL), ('u', 3, 5, 2, 7), (CAST(x'4aff' AS TEXT), 1, 1, 'slow', '')`,
      `INSERT INTO interaction_metadata VALUES (3, '{"tool": NaN}')`,
    );
    return path;
  }

  function record(path: string, user: string): void {
    using collector = new MetricsCollector(path);
    collector.recordInteraction(user, 5, true, 2);
    collector.recordMetric(user, true, 2, { tool: "a" });
    collector.getUserStats(user);
  }

  const whole = cells(["id", "user_id", "level", "success", "response_time_ms", "timestamp"], "interactions");

  test("are named by plan, status and verify, and need a decision", async () => {
    const path = withForeignRows();
    const before = stampOf(dirname(path));
    const invalid = {
      unusual_rows: expect.arrayContaining([
        expect.objectContaining({ kind: "level_out_of_range", blocks: true, row_ids: ["3"] }),
        expect.objectContaining({ kind: "user_id_not_text", blocks: true, row_ids: ["4"] }),
        expect.objectContaining({ kind: "user_id_not_utf8", blocks: true, row_ids: ["6"] }),
      ]) as unknown,
    };
    for (const report of [await planMigration(path), await migrate(path)])
      expect(report).toMatchObject({
        exit_code: 3,
        databases: [{ status: "refused", decisions: ["quarantine"], ...invalid }],
      });
    expect(await migrationStatus(path)).toMatchObject({ exit_code: 0, databases: [{ status: "planned", ...invalid }] });
    expect(await verifyMigration(path)).toMatchObject({
      exit_code: 4,
      databases: [
        { status: "differs", reason: expect.stringMatching(/^Version 16 cannot read 3 rows of interactions/) },
      ],
    });
    expect(stampOf(dirname(path))).toBe(before);
  });

  test("go to quarantine, and return with every byte", async () => {
    const path = withForeignRows();
    const [before, metadata] = [query(path, whole), query(path, "SELECT * FROM interaction_metadata")];
    expect(await migrate(path, { invalidRows: "quarantine" })).toMatchObject({
      exit_code: 0,
      databases: [{ verification: { rows_before: 6, rows_after: 3, rows_quarantined: 3, metadata_rows: 2 } }],
    });
    for (const report of [await planMigration(path), await migrationStatus(path)])
      expect(report).toMatchObject({ exit_code: 0, databases: [{ status: "nothing_to_do" }] });
    expect(await verifyMigration(path)).toMatchObject({ exit_code: 0, databases: [{ status: "verified" }] });
    using collector = new MetricsCollector(path);
    expect(collector.getAllUsers()).toEqual(["u"]);
    expect(collector.getGlobalStats()).toMatchObject({ total_interactions: 3 });
    collector.close();
    expect(await downgradeMigration(path)).toMatchObject({ exit_code: 0, databases: [{ status: "downgraded" }] });
    expect(query(path, whole)).toEqual(before);
    expect(query(path, "SELECT * FROM interaction_metadata")).toEqual(metadata);
    expect(
      query(path, "SELECT name FROM sqlite_schema WHERE name IN ('perdura_quarantine', 'perdura_migration')"),
    ).toEqual([]);
    expect(await verifyMigration(path)).toMatchObject({ databases: [{ verification: { differences: [] } }] });
  });

  test("return although version 16 recorded since, and a column was added", async () => {
    const path = withForeignRows();
    const before = query(path, whole);
    await migrate(path, { invalidRows: "quarantine" });
    record(path, "since");
    makeDatabase(path, "ALTER TABLE interactions ADD COLUMN team TEXT");
    expect(await verifyMigration(path)).toMatchObject({ exit_code: 0 });
    expect(await downgradeMigration(path)).toMatchObject({ exit_code: 0 });
    expect(query(path, `${whole.replace(" ORDER BY", " WHERE id < 7 ORDER BY")}`)).toEqual(before);
    expect(query(path, "SELECT user_id FROM interactions WHERE id > 6")).toEqual([["since"], ["since"]]);
    expect(query(path, "SELECT count(*) FROM interaction_metadata")).toEqual([[3n]]);
  });

  layoutSuite(
    (old) =>
      test("return to the pre-16 table of a database that was migrated before", async () => {
        const path = join(freshFolder(), "m.db");
        const { table, names } = old;
        makeDatabase(path, old.create);
        for (const [index, [user, level]] of (
          [
            ["'a'", "3"],
            ["'b'", "4"],
          ] as const
        ).entries())
          makeDatabase(path, insertion(old, index + 1, { user_id: user, level, success: "1", response_time_ms: "1" }));
        expect(await migrate(path, optionsFor(old))).toMatchObject({ exit_code: 0 });
        makeDatabase(
          path,
          "UPDATE interactions SET level = 8 WHERE id = 2; INSERT INTO interactions (user_id, level, success) VALUES ('c', 0, 1), ('d', 1, 1)",
        );
        expect(await verifyMigration(path)).toMatchObject({ exit_code: 4, databases: [{ status: "differs" }] });
        expect(await migrate(path, { invalidRows: "quarantine" })).toMatchObject({ exit_code: 0 });
        expect(await verifyMigration(path)).toMatchObject({ exit_code: 0, databases: [{ status: "verified" }] });
        expect(await downgradeMigration(path)).toMatchObject({ exit_code: 0 });
        expect(query(path, `SELECT id, ${names.user_id}, ${names.level} FROM ${table} ORDER BY id`)).toEqual([
          [1n, "a", 3n],
          [2n, "b", 8n],
          [3n, "c", 0n],
          [4n, "d", 1n],
        ]);
      }),
    hasLevels,
  );
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
