import { execFileSync } from "node:child_process";
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readContent } from "../../../../fixtures/database_content.ts";
import { fixture } from "../../../../fixtures/paths.ts";
import { planMigration, verifyMigration } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { freshFolder, stampOf } from "../support/folder.ts";
import { FIELD_B, makeDatabase, query } from "../../../../test/legacy/legacy_database.ts";
import { schemaErrors } from "../support/report_schema.ts";

function copyOf(name: string): string {
  const path = join(freshFolder(), "m.db");
  copyFileSync(fixture("legacy", `${name}.db`), path);
  return path;
}

describe.each(["field-b", "field-c", "field-d", "combined-b"])("%s", (name) => {
  test("is not changed without chosen levels; explains the loss and the choices", async () => {
    const path = copyOf(name);
    const before = stampOf(join(path, ".."));
    for (const command of [planMigration, migrate]) {
      const report = await command(path);
      expect(schemaErrors(report)).toEqual([]);
      expect(report).toMatchObject({
        exit_code: 3,
        databases: [
          {
            status: "refused",
            layout: name,
            reason: expect.stringContaining("--missing-level"),
            missing_levels: {
              rows: 32,
              users: 27,
              users_with_state: null,
              users_without_state: [],
              explanation: expect.stringMatching(/programs? of 15\.0\.0 or later/i),
            },
            assumed_levels: [],
          },
        ],
      });
      expect(report.databases[0]?.missing_levels?.choices.map(({ option }) => option)).toEqual([
        "--missing-level N",
        "--missing-level from-state",
        "--missing-level from-state,N",
        "--missing-level abort",
      ]);
    }
    expect(stampOf(join(path, ".."))).toBe(before);
  });

  test("gets one level for all rows, and no other change", async () => {
    const path = copyOf(name);
    const before = readContent(path);
    const plan = await planMigration(path, { missingLevel: 3, nonFinite: "null" });
    const report = await migrate(path, { missingLevel: 3, nonFinite: "null" });
    expect(schemaErrors(report)).toEqual([]);
    expect(report).toMatchObject({
      exit_code: 0,
      databases: [
        {
          status: "migrated",
          missing_levels: null,
          assumed_levels: [{ level: 3, rows: 32, users: 27, source: "option" }],
          verification: { rows_before: 32, rows_after: 32, differences: [] },
        },
      ],
    });
    expect(report.databases[0]?.steps).toEqual(plan.databases[0]?.steps);
    expect(plan.databases[0]?.assumed_levels).toEqual(report.databases[0]?.assumed_levels);
    const after = readContent(path);
    const columns = ["id", "user_id", "success", "response_time_ms", "timestamp", "level"];
    expect(after.tables["interactions"]?.columns).toEqual(columns);
    const rows = before.tables["metrics"]?.rows as { classes: string; values: unknown[] }[];
    expect(after.tables["interactions"]?.rows).toEqual(
      rows.map(({ classes, values }) => ({ classes: `${classes.slice(0, 5)}i`, values: [...values.slice(0, 5), 3] })),
    );
    expect(after.tables["interaction_metadata"]?.rows.map(({ values }) => values)).toEqual(
      rows.filter(({ values }) => values[5] !== null).map(({ values }) => [values[0], values[5]]),
    );
    if (name === "combined-b")
      expect(after.tables["patterns"]?.rows.slice(1)).toEqual(before.tables["patterns"]?.rows.slice(1));
    expect(query(path, "SELECT * FROM perdura_assumed_levels")).toEqual([
      [1n, null, 1n, 32n, 32n, 3n, "option", null, null],
    ]);
    expect((await verifyMigration(path)).exit_code).toBe(0);
    expect(await migrate(path)).toMatchObject({ exit_code: 0, databases: [{ status: "nothing_to_do" }] });
  });
});

test("stores the level in every row, with the column of a new database", async () => {
  const path = copyOf("field-c");
  await migrate(path, { missingLevel: 2 });
  // A default in the schema would show in rows without the value; the stock shell shows whether there is one.
  const shell = (sql: string): string => execFileSync("sqlite3", [path, sql], { encoding: "utf8" }).trim();
  expect(shell("SELECT sql FROM sqlite_schema WHERE name = 'interactions'")).toMatch(/,\s*level INTEGER NOT NULL\)$/);
  expect(shell("SELECT level, typeof(level), count(*) FROM interactions GROUP BY 1, 2")).toBe("2|integer|32");
  expect(shell("PRAGMA integrity_check")).toBe("ok");
});

test("needs no decision without rows", async () => {
  const path = join(freshFolder(), "m.db");
  makeDatabase(path, FIELD_B);
  const report = await migrate(path);
  expect(report).toMatchObject({ exit_code: 0, databases: [{ status: "migrated", assumed_levels: [] }] });
  expect(query(path, "SELECT name FROM sqlite_schema WHERE name LIKE 'perdura_assumed%'")).toEqual([]);
  expect(
    query(path, "SELECT type, \"notnull\", dflt_value FROM pragma_table_info('interactions') WHERE name = 'level'"),
  ).toEqual([["INTEGER", 1n, null]]);
  expect((await verifyMigration(path)).exit_code).toBe(0);
});

test.each([["6"], ["0"], [",3"], ["from-state,"], ["from-state,9"], ["state"], [""]])(
  "refuses missingLevel %j before any read",
  async (missingLevel) => {
    await expect(migrate(copyOf("field-b"), { missingLevel: missingLevel as never })).rejects.toThrow(/missingLevel/);
  },
);

test("reports a level column that was changed since by rebuilding the table", async () => {
  const path = copyOf("field-c");
  await migrate(path, { missingLevel: 3 });
  const [[sql] = []] = query<[string]>(path, "SELECT sql FROM sqlite_schema WHERE name = 'interactions'");
  makeDatabase(
    path,
    "PRAGMA foreign_keys = OFF",
    "PRAGMA legacy_alter_table = ON",
    "ALTER TABLE interactions RENAME TO former",
    (sql as string).replace("level INTEGER NOT NULL", "level INTEGER"),
    "INSERT INTO interactions SELECT * FROM former",
    "DROP TABLE former",
  );
  const { exit_code, databases } = await verifyMigration(path);
  expect(exit_code).toBe(4);
  expect(databases[0]?.verification?.differences).toContain("the column level is INTEGER, expected INTEGER NOT NULL");
});
