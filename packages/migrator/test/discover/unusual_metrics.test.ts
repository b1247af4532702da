import { join } from "node:path";
import { MetricsCollector } from "@perdura/v16";
import { expect, test } from "vitest";
import { planMigration } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { freshFolder, stampOf } from "../support/folder.ts";
import { DOCUMENTED_15, FIELD_A, FIELD_B, makeDatabase, query } from "../../../../test/legacy/legacy_database.ts";

function database(...statements: string[]): { folder: string; path: string } {
  const folder = freshFolder();
  const path = join(folder, "metrics.db");
  makeDatabase(path, ...statements);
  return { folder, path };
}

test.each([
  [
    "a table metrics with a column level",
    [FIELD_B, "ALTER TABLE metrics ADD COLUMN level INTEGER"],
    "contains interactions",
  ],
  [
    "levels that are computed from another column",
    [
      FIELD_B,
      "ALTER TABLE metrics ADD COLUMN base INTEGER DEFAULT 2",
      "ALTER TABLE metrics ADD COLUMN empathy_level INTEGER GENERATED ALWAYS AS (base + 1) VIRTUAL",
    ],
    "contains interactions",
  ],
])("refuses %s by name with any --missing-level, and changes nothing", async (_what, statements, words) => {
  const { folder, path } = database(...statements);
  const before = stampOf(folder);
  for (const report of [await planMigration(path), await migrate(path, { missingLevel: 5 })])
    expect(report).toMatchObject({
      exit_code: 3,
      databases: [{ status: "refused", layout: "unknown", reason: expect.stringContaining(words) }],
    });
  expect(stampOf(folder)).toBe(before);
});

const generated = (column: string, expression: string): string =>
  DOCUMENTED_15.replace(
    new RegExp(String.raw`\b${column} (\w+)`),
    `${column} $1 /* it */ GENERATED ALWAYS AS (${expression}) STORED`,
  ).replace("success BOOLEAN", "base, success BOOLEAN");
const INDEX = "CREATE INDEX idx_user_level ON interactions(user_id, empathy_level)";
const OWN = "CREATE VIEW own AS SELECT user_id FROM interactions WHERE empathy_level > 1";

test.each([
  ["the level", [generated("empathy_level", "CAST(base AS INTEGER)"), INDEX, OWN], "user_id", "empathy_level"],
  ["the user", [generated("user_id", "coalesce(base, (1), 2) + 0"), INDEX, OWN], "empathy_level", "user_id"],
  ["the user in the layout of 16", [generated("user_id", "base").replace("empathy_", "")], "level", "user_id"],
  [
    "the user in metrics",
    [generated("user_id", "base").replaceAll(/\binteractions\b/g, "metrics")],
    "empathy_level",
    "user_id",
  ],
])(
  "names a generated column of %s, and the printed statements make it ordinary",
  async (_what, schema, other, column) => {
    const table = /CREATE TABLE (\w+)/.exec(schema.join(""))?.[1] ?? "";
    const { folder, path } = database(
      ...schema,
      `INSERT INTO ${table} (base, ${other}, success) VALUES (2, 3, 1), (4, 5, 1)`,
      `DELETE FROM ${table} WHERE base = 4`,
    );
    const before = stampOf(folder);
    const [report] = (await migrate(path)).databases;
    expect(report).toMatchObject({ status: "refused", layout: "unknown" });
    expect(report?.reason).toContain(`In ${table}, ${column} is a generated column`);
    expect(stampOf(folder)).toBe(before);
    const stored = `SELECT id, CAST(${column} AS TEXT), ${other}, base FROM ${table}`;
    const rows = query(path, stored);
    makeDatabase(path, /PRAGMA foreign_keys = OFF; .*COMMIT;/s.exec(report?.reason ?? "")?.[0] ?? "");
    expect(query(path, stored)).toEqual(rows);
    expect(await migrate(path)).toMatchObject({ exit_code: 0 });
    const collector = new MetricsCollector(path);
    expect(collector.recordInteraction("new", 2, true, 5)).toBe(3);
    collector.close();
  },
);

test("a generated column is made ordinary before the table gets a key, which keeps ordinary columns only", async () => {
  const { path } = database(
    generated("user_id", "base").replace("id INTEGER PRIMARY KEY AUTOINCREMENT", "id INTEGER"),
    "INSERT INTO interactions (id, base, empathy_level, success) VALUES (1, 2, 3, 1)",
  );
  for (const difference of ["user_id is a generated column", "id is declared INTEGER"]) {
    const [report] = (await migrate(path)).databases;
    expect(report?.reason).toContain(`In interactions, ${difference}`);
    makeDatabase(path, /PRAGMA foreign_keys = OFF; .*COMMIT;/s.exec(report?.reason ?? "")?.[0] ?? "");
  }
  expect(await migrate(path)).toMatchObject({ exit_code: 0 });
  expect(query(path, "SELECT id, user_id, level FROM interactions")).toEqual([[1n, "2", 3n]]);
});

test("names a generated column of the former name of the level, and the printed statement renames it", async () => {
  const { path } = database(
    DOCUMENTED_15.replace("empathy_level", "level"),
    "ALTER TABLE interactions ADD COLUMN empathy_level INTEGER AS (level)",
    "ALTER TABLE interactions ADD COLUMN former_empathy_level TEXT",
  );
  const [report] = (await planMigration(path)).databases;
  expect(report).toMatchObject({ status: "refused", reason: expect.stringContaining("empathy_level is a generated") });
  makeDatabase(path, /ALTER TABLE .*;/.exec(report?.reason ?? "")?.[0] ?? "");
  expect(await migrate(path)).toMatchObject({ exit_code: 0 });
});

test("accepts the lowest integer as a response time", async () => {
  const { path } = database(
    FIELD_A.replace("response_time_ms REAL", "response_time_ms"),
    "INSERT INTO metrics (user_id, empathy_level, success, response_time_ms) VALUES ('u', 1, 1, -9223372036854775808)",
  );
  expect(await migrate(path)).toMatchObject({ exit_code: 0, databases: [{ unusual_rows: [{ rows: 1 }] }] });
});
