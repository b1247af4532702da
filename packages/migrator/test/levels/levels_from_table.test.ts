import { join } from "node:path";
import { expect, describe, test } from "vitest";
import { planMigration, downgradeMigration, verifyMigration } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import type { MissingLevelOption } from "../../src/core/options.ts";
import { freshFolder, stampOf } from "../support/folder.ts";
import {
  addRows,
  DOCUMENTED_15,
  FIELD_A,
  FIELD_B,
  makeDatabase,
  query,
} from "../../../../test/legacy/legacy_database.ts";
import { schemaErrors } from "../support/report_schema.ts";

const DOCUMENTED_16 = DOCUMENTED_15.replace("empathy_level", "level");
const WITHOUT_INDEXES = "DROP INDEX IF EXISTS idx_user_level; DROP INDEX IF EXISTS idx_timestamp";

/**
 * A database whose table `metrics` of layout A was renamed, with a new `metrics` without levels that holds the rows of
 * `kept`.
 */
function renamed(name: string, kept: string, ...more: string[]): string {
  const path = join(freshFolder(), "m.db");
  makeDatabase(path, FIELD_A);
  addRows(path, "metrics", 10);
  makeDatabase(
    path,
    WITHOUT_INDEXES,
    `ALTER TABLE metrics RENAME TO ${name}`,
    FIELD_B,
    `INSERT INTO metrics SELECT id, user_id, success, response_time_ms, timestamp, metadata FROM ${name} WHERE ${kept}`,
    ...more,
  );
  return path;
}

const levelsOf = (path: string): unknown[] => query(path, "SELECT id, level FROM interactions ORDER BY id").map(String);

/** Levels of rows 1 to 10 by `addRows`. */
const GIVEN = Array.from({ length: 10 }, (_, index) => `${index + 1},${((index + 1) % 5) + 1}`);

/** Runs the statement of a note that adds rows to the metrics table. */
function addRowsOf(path: string, notes: readonly string[] = []): void {
  const statement = /run this statement first: (INSERT INTO .*;)$/.exec(notes[0] ?? "")?.[1];
  makeDatabase(path, statement ?? "no statement");
}

describe("a table from before an interrupted upgrade", () => {
  test("is named in the plan with a statement for its rows; its levels are used, and the downgrade is exact", async () => {
    const path = renamed("metrics_old", "id IN (2, 3)");
    const plan = await planMigration(path);
    expect(schemaErrors(plan)).toEqual([]);
    const [database] = plan.databases;
    expect(database).toMatchObject({
      status: "refused",
      missing_levels: { tables: [{ table: "metrics_old", rows: 2 }] },
      notes: [
        expect.stringMatching(
          /^the table metrics_old has 8 rows that metrics lacks \(ids from 1 to 10\), and keeps them/,
        ),
      ],
    });
    expect(database?.missing_levels?.choices[0]).toEqual({
      option: "--missing-level from-table,metrics_old",
      meaning: expect.stringMatching(/levels for 2 rows/),
    });
    expect(database?.missing_levels?.explanation).not.toContain("cannot be recovered");
    addRowsOf(path, database?.notes);
    const before = query(path, "SELECT * FROM metrics").map(String);
    expect(before).toHaveLength(10);
    const wish = { missingLevel: "from-table,METRICS_OLD" } as const;
    const report = await migrate(path, wish);
    expect(schemaErrors(report)).toEqual([]);
    expect(report).toMatchObject({
      exit_code: 0,
      databases: [
        {
          notes: [],
          assumed_levels: [1, 2, 3, 4, 5].map((level) => ({ level, rows: 2, source: "table" })),
          merged: null,
          verification: { rows_before: 10, rows_after: 10, metadata_rows: 3 },
        },
      ],
    });
    expect(levelsOf(path)).toEqual(GIVEN);
    expect(query(path, "SELECT count(*) FROM interaction_metadata")).toEqual([[3n]]);
    expect(query(path, "SELECT count(*) FROM metrics_old")).toEqual([[10n]]);
    expect((await migrate(path, wish)).databases[0]?.status).toBe("nothing_to_do");
    expect(await verifyMigration(path)).toMatchObject({ exit_code: 0, databases: [{ status: "verified" }] });
    expect(await downgradeMigration(path)).toMatchObject({ exit_code: 0, databases: [{ status: "downgraded" }] });
    expect(await verifyMigration(path)).toMatchObject({ exit_code: 0, databases: [{ status: "verified" }] });
    expect(query(path, "SELECT * FROM metrics").map(String)).toEqual(before);
    expect(query(path, "SELECT name FROM sqlite_schema WHERE name LIKE 'perdura%'")).toEqual([]);
  });

  test("keeps rows that only it has, and rows recorded or corrected in version 16, in a downgrade", async () => {
    const path = renamed("metrics_old", "id < 9");
    await migrate(path, { missingLevel: "from-table,metrics_old" });
    makeDatabase(
      path,
      "UPDATE interactions SET level = 5 WHERE id = 1",
      "INSERT INTO interactions (user_id, level, success) VALUES ('new', 2, 1)",
    );
    expect(await verifyMigration(path)).toMatchObject({ exit_code: 4 });
    expect(await downgradeMigration(path)).toMatchObject({ exit_code: 0 });
    expect(query(path, "SELECT id FROM metrics ORDER BY id").map(String)).toEqual([..."123456789"]);
    expect(query(path, "SELECT * FROM perdura_kept_levels").map(String)).toEqual(["1,5", "9,2"]);
    expect(query(path, "SELECT id FROM metrics_old WHERE id > 8").map(String)).toEqual(["9", "10"]);
  });

  test("gives its level only to the same row; other rows get the chosen level", async () => {
    const path = renamed(
      "metrics_old",
      "id < 6",
      "UPDATE metrics SET user_id = 'someone else' WHERE id = 1",
      "UPDATE metrics_old SET empathy_level = 9 WHERE id = 2",
      "UPDATE metrics_old SET empathy_level = 'two' WHERE id = 7",
    );
    const stamp = stampOf(join(path, ".."));
    const refused = await migrate(path, { missingLevel: "from-table,metrics_old" });
    expect(refused).toMatchObject({
      exit_code: 3,
      databases: [
        { reason: expect.stringMatching(/metrics_old has no level for 2 rows of 2 users.*from-table,metrics_old,N/) },
      ],
    });
    expect(stampOf(join(path, ".."))).toBe(stamp);
    const report = await migrate(path, { missingLevel: "from-table,metrics_old,1" });
    expect(report).toMatchObject({ exit_code: 0 });
    expect(report.databases[0]?.notes).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^the table metrics_old has 5 rows that metrics lacks/),
        "1 row of metrics_old has the id of a different row of metrics (1); it is not used and stays only in that table",
      ]),
    );
    expect(levelsOf(path)).toEqual(["1,1", "2,1", ...GIVEN.slice(2, 5)]);
    expect(query(path, "SELECT source, rows, level FROM perdura_assumed_levels ORDER BY 1, 3").map(String)).toEqual([
      "option,2,1",
      "table,1,1",
      "table,1,4",
      "table,1,5",
    ]);
    expect(await verifyMigration(path)).toMatchObject({ exit_code: 0 });
    expect(await downgradeMigration(path)).toMatchObject({ exit_code: 0 });
  });

  test("may have no key; duplicate ids must agree", async () => {
    const path = renamed(
      "was",
      "id < 6",
      'CREATE TABLE "метрики ""alt"",3" AS SELECT id, user_id, empathy_level AS level, success, response_time_ms, timestamp FROM was',
      "DROP TABLE was",
      `INSERT INTO "метрики ""alt"",3" SELECT id, user_id, 6 - level, success, response_time_ms, timestamp FROM "метрики ""alt"",3" WHERE id IN (1, 8)`,
    );
    const plan = await planMigration(path);
    const [option] = plan.databases[0]?.missing_levels?.choices.map((choice) => choice.option) ?? [];
    expect(option).toBe('--missing-level from-table,"метрики ""alt"",3"');
    const value = `${option?.slice("--missing-level ".length)},4` as MissingLevelOption;
    expect(await migrate(path, { missingLevel: value })).toMatchObject({ exit_code: 0 });
    expect(levelsOf(path)).toEqual(["1,4", ...GIVEN.slice(1, 5)]);
    expect(await downgradeMigration(path)).toMatchObject({ exit_code: 0 });
  });

  test("names every such table, and uses the requested one", async () => {
    const path = renamed(
      "metrics_old",
      "true",
      "CREATE TABLE metrics_backup AS SELECT id, user_id, 5 AS level FROM metrics WHERE id < 4",
    );
    const [database] = (await planMigration(path)).databases;
    expect(database?.missing_levels?.tables).toEqual([
      { table: "metrics_old", rows: 10 },
      { table: "metrics_backup", rows: 3 },
    ]);
    expect(await migrate(path, { missingLevel: "from-table,metrics_backup,1" })).toMatchObject({ exit_code: 0 });
    expect(query(path, "SELECT level, count(*) FROM interactions GROUP BY 1").map(String)).toEqual(["1,7", "5,3"]);
  });

  test("rejects an unknown table, and names the existing ones", async () => {
    const path = renamed("metrics_old", "true");
    const stamp = stampOf(join(path, ".."));
    for (const command of [planMigration, migrate])
      await expect(command(path, { missingLevel: "from-table,metric_old" })).rejects.toThrow(
        /^missingLevel: expected .*\(found "metrics_old" in .*m\.db\), got "metric_old"\. Nothing was changed\.$/,
      );
    expect(stampOf(join(path, ".."))).toBe(stamp);
  });

  test.each(["from-table", "from-table,", 'from-table,"x', "from-table,a\0b", "from-table,x\0,3"])(
    "rejects %j",
    async (wish) => {
      await expect(
        planMigration(renamed("metrics_old", "true"), { missingLevel: wish as MissingLevelOption }),
      ).rejects.toThrow(/^missingLevel: expected "abort", .*"from-table,NAME"/);
    },
  );
});

describe("rows under another name", () => {
  /** Tables of a layout: `interactions` with the rows of `kept`, and `interactions_old` with ten rows. */
  function beside(layout: string, kept: string, ...more: string[]): string {
    const path = join(freshFolder(), "m.db");
    makeDatabase(path, DOCUMENTED_15);
    addRows(path, "interactions", 10);
    makeDatabase(
      path,
      "DROP INDEX idx_interactions_user; DROP INDEX idx_interactions_timestamp",
      "ALTER TABLE interactions RENAME TO interactions_old",
      layout,
      `INSERT INTO interactions SELECT * FROM interactions_old WHERE ${kept}`,
      ...more,
    );
    return path;
  }

  test.each([
    ["16", DOCUMENTED_16],
    ["15", DOCUMENTED_15],
  ])("are named, with a statement that adds them: the documented layout of %s", async (_line, layout) => {
    const path = beside(layout, "id = 4");
    const note = /^the table interactions_old has 9 rows that interactions lacks \(ids from 1 to 10\), and keeps them/;
    const [plan] = (await planMigration(path)).databases;
    expect(plan?.notes).toEqual([expect.stringMatching(note)]);
    addRowsOf(path, plan?.notes);
    expect(await migrate(path)).toMatchObject({ exit_code: 0, databases: [{ notes: [] }] });
    expect(query(path, "SELECT count(*) FROM interactions_old")).toEqual([[10n]]);
    const level = query(path, "SELECT name FROM pragma_table_info('interactions') WHERE name LIKE '%level'").flat()[0];
    expect(level).toBe("level");
    expect(levelsOf(path)).toEqual(GIVEN);
    expect((await planMigration(path)).databases[0]).toMatchObject({ status: "nothing_to_do", notes: [] });
    expect(await downgradeMigration(path)).toMatchObject({ exit_code: 0 });
  });

  test("are refused, with advice, if no table of interactions exists", async () => {
    const path = join(freshFolder(), "m.db");
    makeDatabase(path, FIELD_A);
    addRows(path, "metrics", 3);
    makeDatabase(path, 'ALTER TABLE metrics RENAME TO "metrics old"');
    expect(await migrate(path)).toMatchObject({
      exit_code: 3,
      databases: [
        { status: "refused", reason: expect.stringContaining('ALTER TABLE "metrics old" RENAME TO "metrics"') },
      ],
    });
    makeDatabase(path, 'ALTER TABLE "metrics old" RENAME TO metrics');
    expect(await migrate(path)).toMatchObject({ exit_code: 0 });
  });

  test("of other kinds are not reported", async () => {
    const path = beside(
      DOCUMENTED_15,
      "true",
      "DROP TABLE interactions_old",
      "CREATE TABLE players (id INTEGER PRIMARY KEY, user_id TEXT, level INTEGER)",
      "INSERT INTO players VALUES (77, 'u1', 3), (1, 'u1', 3)",
    );
    expect(await migrate(path)).toMatchObject({ exit_code: 0, databases: [{ notes: [] }] });
  });
});
