import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { MetricsCollector } from "@perdura/v16";
import { describe, expect, test } from "vitest";
import {
  DOCUMENTED_15,
  FIELD_A,
  FIELD_B,
  FIELD_PATTERNS,
  makeDatabase,
  query,
} from "../../../../test/legacy/legacy_database.ts";
import { downgradeMigration, planMigration, verifyMigration } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { freshFolder } from "../support/folder.ts";
import { wholeContent } from "../support/whole_content.ts";

function laidOut(...statements: string[]): string {
  const path = join(freshFolder(), "m.db");
  makeDatabase(path, ...statements);
  return path;
}

const ROWS = (table: string): string =>
  `INSERT INTO ${table} (user_id, empathy_level, success, response_time_ms) VALUES ('u', 3, 1, 12.5), ('u', 9, 1, 1), ('v', 1, 0, NULL)`;

test("a table metrics without levels and metadata needs levels, and is migrated and restored", async () => {
  const path = laidOut(
    FIELD_B.replace(/,\s*metadata TEXT/, ""),
    "INSERT INTO metrics (user_id, success, response_time_ms) VALUES ('u', 1, 12.5)",
  );
  const before = wholeContent(path);
  expect(await migrate(path)).toMatchObject({ exit_code: 3, databases: [{ decisions: ["missing-level"] }] });
  expect(await migrate(path, { missingLevel: 2 })).toMatchObject({ exit_code: 0 });
  expect(query(path, "SELECT user_id, level FROM interactions")).toEqual([["u", 2n]]);
  expect(await downgradeMigration(path, { backup: false })).toMatchObject({ exit_code: 0 });
  expect(wholeContent(path)).toEqual(before);
});

test.each([[[]], [[FIELD_PATTERNS]]])("a table metrics without metadata is migrated and restored", async (more) => {
  const path = laidOut(...more, FIELD_A.replace(/,\s*metadata TEXT/, ""), ROWS("metrics"));
  const before = wholeContent(path);
  expect(await migrate(path, { invalidRows: "quarantine" })).toMatchObject({
    exit_code: 0,
    databases: [{ verification: { rows_before: 3, rows_after: 2, rows_quarantined: 1, differences: [] } }],
  });
  expect(await verifyMigration(path)).toMatchObject({ exit_code: 0 });
  const copy = `${path}.used`;
  copyFileSync(path, copy);
  const collector = new MetricsCollector(copy);
  collector.recordMetric("u", true, 4, { tool: "search" });
  expect(collector.getUserStats("u")).toMatchObject({ total_operations: 2, current_level: 3 });
  collector.close();
  expect(await downgradeMigration(path, { backup: false })).toMatchObject({ exit_code: 0 });
  expect(wholeContent(path)).toEqual(before);
});

describe("a layout that is close to a known one is refused with its differences", () => {
  test.each([
    [
      "a misspelt column",
      [DOCUMENTED_15, "ALTER TABLE interactions RENAME COLUMN response_time_ms TO responseTimeMs"],
      'response_time_ms is missing, but there is a column responseTimeMs (ALTER TABLE "interactions" RENAME COLUMN "responseTimeMs" TO "response_time_ms";)',
    ],
    [
      "a missing column",
      [DOCUMENTED_15, "ALTER TABLE interactions DROP COLUMN response_time_ms"],
      'response_time_ms is missing (ALTER TABLE "interactions" ADD COLUMN "response_time_ms" REAL; and set its values)',
    ],
    [
      "no levels",
      [DOCUMENTED_15, "ALTER TABLE interactions DROP COLUMN empathy_level"],
      'level is missing (ALTER TABLE "interactions" ADD COLUMN "level" INTEGER; and set its values)',
    ],
    ["both level columns", [DOCUMENTED_15, "ALTER TABLE interactions ADD level INT"], "both level and empathy_level"],
    [
      "levels under another name",
      [FIELD_A, "DROP INDEX idx_user_level; ALTER TABLE metrics RENAME COLUMN empathy_level TO level"],
      'In metrics, the levels are in a column level (expected empathy_level: ALTER TABLE "metrics" RENAME COLUMN "level" TO "empathy_level";)',
    ],
  ])("%s", async (_what, statements, difference) => {
    const [report] = (await planMigration(laidOut(...statements))).databases;
    expect(report).toMatchObject({ status: "refused", layout: "unknown" });
    expect(report?.reason).toContain(difference);
  });
});

const WITHOUT_KEY = DOCUMENTED_15.replace("INTEGER PRIMARY KEY AUTOINCREMENT", "INTEGER");

test.each([
  ["an id that is not a key", WITHOUT_KEY],
  ["no id", DOCUMENTED_15.replace(/id INTEGER PRIMARY KEY AUTOINCREMENT,/, "")],
  [
    "a key of other columns",
    DOCUMENTED_15.replace("INTEGER PRIMARY KEY AUTOINCREMENT", "INTEGER").replace(
      "CURRENT_TIMESTAMP\n  )",
      "CURRENT_TIMESTAMP, PRIMARY KEY (id, user_id))",
    ),
  ],
  [
    "a table WITHOUT ROWID",
    DOCUMENTED_15.replace(" AUTOINCREMENT", "").replace("CURRENT_TIMESTAMP\n  )", "CURRENT_TIMESTAMP) WITHOUT ROWID"),
  ],
])("%s is refused with the statements to run, which make the way free", async (what, sql) => {
  const path = laidOut(sql);
  const database = what === "no id" ? "" : "id, ";
  makeDatabase(
    path,
    ...[1, 2, 3].map(
      (id) =>
        `INSERT INTO interactions (${database}user_id, empathy_level, success) VALUES (${database === "" ? "" : `${id * 7}, `}'u', ${id}, 1)`,
    ),
  );
  const [report] = (await migrate(path)).databases;
  expect(report?.status).toBe("refused");
  const statements = /PRAGMA foreign_keys = OFF; .*COMMIT;/s.exec(report?.reason ?? "")?.[0];
  makeDatabase(path, statements ?? "");
  expect(await migrate(path)).toMatchObject({ exit_code: 0, databases: [{ status: "migrated" }] });
  expect(query(path, "SELECT user_id, level FROM interactions ORDER BY id")).toEqual([
    ["u", 1n],
    ["u", 2n],
    ["u", 3n],
  ]);
});

test.each([
  ["texts", "TEXT PRIMARY KEY", ["'u-1'", "'u-2'", "'3'"]],
  ["integers as text", "TEXT PRIMARY KEY", ["'5'", "'6'", "'7'"]],
  ["repeated", "INTEGER", ["1", "1", "NULL"]],
  ["fractions", "REAL", ["1.5", "2.0", "x'33'"]],
])("ids that are %s stay when the statements to run have rebuilt the table", async (what, type, ids) => {
  const sql = DOCUMENTED_15.replace("INTEGER PRIMARY KEY AUTOINCREMENT", type);
  const path = laidOut(
    sql,
    ...ids.map((id) => `INSERT INTO interactions (id, user_id, empathy_level, success) VALUES (${id}, 'u', 3, 1)`),
  );
  const [report] = (await migrate(path)).databases;
  const statements = /PRAGMA foreign_keys = OFF; .*COMMIT;/s.exec(report?.reason ?? "")?.[0];
  makeDatabase(path, statements ?? "");
  expect(await migrate(path)).toMatchObject({ exit_code: 0, databases: [{ status: "migrated" }] });
  const former = what === "integers as text" ? "quote(CAST(id AS TEXT))" : "quote(former_id)";
  expect(query(path, `SELECT ${former} FROM interactions ORDER BY id`)).toEqual(
    ids.map((id) => [id.startsWith("x") ? id.toUpperCase() : id]),
  );
});
