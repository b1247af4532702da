import { copyFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type DatabaseContent, readContent } from "../../../../fixtures/database_content.ts";
import { readMarked } from "../../../../fixtures/expected.ts";
import { layOutMigration } from "../../../../fixtures/lay_out.ts";
import { fixture } from "../../../../fixtures/paths.ts";
import { verifyMigration } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { freshFolder } from "../support/folder.ts";
import { query } from "../../../../test/legacy/legacy_database.ts";
import { schemaErrors } from "../support/report_schema.ts";

interface After {
  databases: Record<
    string,
    {
      user_version: number;
      tables: Record<string, { columns: string[]; rows: unknown[] }>;
      indexes: { name: string }[];
      optional: string[];
    }
  >;
}

describe.each(["documented-15", "field-a"])("the migration case %s", (name) => {
  test("has the stated result, in every row and storage class", async () => {
    const folder = freshFolder();
    const path = join(folder, "metrics.db");
    layOutMigration(name, folder);
    const before = readFileSync(path);
    const report = await migrate(folder);
    expect(schemaErrors(report)).toEqual([]);
    expect(report).toMatchObject({ exit_code: 0, databases: [{ status: "migrated" }] });
    const expected = (readMarked("migrations", name, "after.json") as After).databases[
      "metrics.db"
    ] as After["databases"][string];
    const content = readContent(path);
    expect(content.user_version).toBe(expected.user_version);
    for (const [table, { columns, rows }] of Object.entries(expected.tables))
      expect(content.tables[table]).toEqual({ columns, rows });
    expect(content.objects.map((entry) => entry.name)).toEqual(
      expect.arrayContaining(expected.indexes.map((index) => index.name)),
    );
    expect(readFileSync(`${path}.v15.bak`).equals(before)).toBe(true);
    expect((await verifyMigration(folder)).exit_code).toBe(0);
  });
});

describe.each([
  ["field-a-user-objects", "metrics"],
  ["documented-15-user-objects", "interactions"],
])("%s", (name, table) => {
  test("keeps the user's indexes, views, triggers and tables, the ids and their counter", async () => {
    const path = join(freshFolder(), "m.db");
    copyFileSync(fixture("legacy", `${name}.db`), path);
    const before = readContent(path);
    expect(await migrate(path)).toMatchObject({ exit_code: 0 });
    const after = readContent(path);
    const users = (content: DatabaseContent): string[] =>
      content.objects.filter((entry) => entry.name.startsWith("my")).map((entry) => `${entry.type} ${entry.name}`);
    expect(users(after)).toEqual(users(before));
    for (const own of ["my_audit", "my_notes", 'my "empathy_level" table'])
      expect(after.tables[own]).toEqual(before.tables[own]);
    expect(query(path, "SELECT label, level FROM my_levels LIMIT 1")[0]).toMatchObject([
      "empathy_level",
      expect.anything(),
    ]);
    expect(query(path, "SELECT seq FROM sqlite_sequence WHERE name = 'interactions'")).toEqual(
      query(`${path}.v15.bak`, `SELECT seq FROM sqlite_sequence WHERE name = '${table}'`),
    );
  });
});

test("builds the indexes of a pattern library, repairs unreadable patterns, and migrates metrics in the same database", async () => {
  const folder = freshFolder();
  for (const name of ["combined-a.db", "field-patterns.db"]) copyFileSync(fixture("legacy", name), join(folder, name));
  const before = ["combined-a.db", "field-patterns.db"].map(
    (name) => readContent(join(folder, name)).tables["patterns"],
  );
  expect(await migrate(folder, { nonFinite: "null" })).toMatchObject({ exit_code: 0 });
  for (const [index, name] of ["combined-a.db", "field-patterns.db"].entries()) {
    const after = readContent(join(folder, name));
    const isTokenless = ({ values }: { values: unknown[] }): boolean => !values.includes("pat_001");
    expect(after.tables["patterns"]?.rows.filter(isTokenless)).toEqual(before[index]?.rows.filter(isTokenless));
    expect(after.tables["patterns"]?.rows).toHaveLength(before[index]?.rows.length ?? 0);
    expect(after.objects.map((entry) => entry.name)).toEqual(
      expect.arrayContaining(["idx_patterns_agent", "idx_patterns_type", "idx_patterns_confidence"]),
    );
  }
  expect(readContent(join(folder, "combined-a.db")).tables["interactions"]?.rows).toHaveLength(32);
});

test("migrates and backs up rows that are only in a write-ahead log", async () => {
  const path = join(freshFolder(), "m.db");
  for (const suffix of ["", "-wal"])
    copyFileSync(`${fixture("legacy", "field-a-wal.db")}${suffix}`, `${path}${suffix}`);
  expect(await migrate(path)).toMatchObject({
    exit_code: 0,
    databases: [{ verification: { rows_before: 32, rows_after: 32 } }],
  });
  expect(query(`${path}.v15.bak`, "SELECT count(*) FROM metrics")).toEqual([[32n]]);
  expect(query(`${path}.v15.bak`, "PRAGMA journal_mode")).toEqual([["delete"]]);
});
