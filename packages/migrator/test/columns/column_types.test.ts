import { copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { MetricsCollector } from "@perdura/v16";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { connect, makeDatabase, query } from "../../../../test/legacy/legacy_database.ts";
import { downgradeMigration, planMigration, verifyMigration } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { RUNS } from "../properties/runs.ts";
import { freshFolder } from "../support/folder.ts";
import { wholeContent } from "../support/whole_content.ts";

interface Types {
  user: string;
  level: string;
  success: string;
  time: string;
}

const SPECIFIED: Types = { user: "TEXT", level: "INTEGER", success: "BOOLEAN", time: "REAL" };

const table = (name: string, level: string, types: Partial<Types>, more = ""): string => {
  const { user, level: levels, success, time } = { ...SPECIFIED, ...types };
  return `CREATE TABLE ${name} (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id ${user} NOT NULL,${level === "" ? "" : `\n    ${level} ${levels} NOT NULL, -- 1 to 5, "level" (of trust)`}
    success ${success} NOT NULL,
    response_time_ms ${time} DEFAULT NULL,
    timestamp TIMESTAMP DEFAULT CURRENT_TIMESTAMP${more}
  )`;
};

const LAYOUTS = {
  "documented-15": (types: Partial<Types>) => table("interactions", "empathy_level", types),
  "documented-16": (types: Partial<Types>) => table("interactions", "level", types),
  "field-a": (types: Partial<Types>) => table("metrics", "empathy_level", types, ", metadata TEXT"),
  "field-b": (types: Partial<Types>) => table("metrics", "", types, ", metadata TEXT"),
} as const;

const cells = (from: string, ...columns: string[]): string[] =>
  query<[string]>(
    from,
    `SELECT ${columns.map((column) => `typeof(${column}) || ' ' || quote(${column})`).join(" || ', ' || ")} FROM interactions ORDER BY id`,
  ).flat();

test("plan names the columns, and what 16 would store", async () => {
  const path = join(freshFolder(), "m.db");
  makeDatabase(path, LAYOUTS["field-a"]({ user: "INT", level: "VARCHAR(10)", success: "", time: "TEXT" }));
  const { databases } = await planMigration(path);
  expect(databases[0]?.status).toBe("planned");
  expect(databases[0]?.notes).toEqual([
    "metrics: user_id is declared INT: version 16 would store the text '007' as the number 7",
    "metrics: empathy_level is declared VARCHAR(10): version 16 would store level 4 as the text '4.0'",
    "metrics: success has no declared type: version 16 would store 1 as the REAL 1.0",
    "metrics: response_time_ms is declared TEXT: version 16 would store 12.5 as the text '12.5'",
  ]);
  expect(databases[0]?.steps[0]).toBe(
    "change the declared types of metrics to those of version 16: user_id TEXT (INT), empathy_level INTEGER (VARCHAR(10)), success BOOLEAN (no type), response_time_ms REAL (TEXT)",
  );
});

test("values that are the same number are kept as that number, and all others are invalid", async () => {
  const path = join(freshFolder(), "m.db");
  const levels = ["'3'", "'3.0'", "3.0", "' 3 '", "'+3'", "'3e0'", "'3.5'", "'three'", "x'33'", "'6'"];
  makeDatabase(
    path,
    LAYOUTS["documented-15"]({ level: "BLOB", time: "TEXT", user: "NUMERIC" }),
    ...levels.map((level) => `INSERT INTO interactions VALUES (NULL, 'u', ${level}, 1, '12.50', 't')`),
    "INSERT INTO interactions VALUES (NULL, '007', 1, 1, 'fast', 't'), (NULL, '1.5', 1, 1, NULL, 't'), (NULL, '007', 1, 1, 10, 't')",
  );
  const before = wholeContent(path);
  const refused = await migrate(path);
  expect(refused.databases[0]).toMatchObject({ status: "refused" });
  expect(refused.databases[0]?.unusual_rows).toMatchObject([
    { kind: "level_not_an_integer", rows: 3, blocks: true },
    { kind: "level_out_of_range", rows: 1, blocks: true },
    { kind: "user_id_not_text", rows: 1, blocks: true },
    { kind: "response_time_not_a_number", rows: 1, blocks: true },
  ]);
  expect(wholeContent(path)).toEqual(before);
  const { databases } = await migrate(path, { invalidRows: "quarantine" });
  expect(databases[0]).toMatchObject({ status: "migrated", verification: { rows_after: 7, rows_quarantined: 6 } });
  expect(new Set(cells(path, "user_id", "level", "response_time_ms"))).toEqual(
    new Set(["text 'u', integer 3, real 12.5", "text '7', integer 1, real 10.0"]),
  );
  expect((await verifyMigration(path)).exit_code).toBe(0);
  await downgradeMigration(path, { backup: false });
  expect(wholeContent(path)).toEqual(before);
});

test.each(["documented-15", "documented-16"] as const)(
  "a full-text index over a table %s of other types stays, in both directions",
  async (layout) => {
    const path = join(freshFolder(), "m.db");
    const level = layout === "documented-16" ? "level" : "empathy_level";
    makeDatabase(
      path,
      LAYOUTS[layout]({ level: "TEXT" }),
      `INSERT INTO interactions (user_id, ${level}, success) VALUES ('some user', 3, 1)`,
      "CREATE VIRTUAL TABLE words USING fts5(user_id, content = 'interactions'); INSERT INTO words (words) VALUES ('rebuild')",
    );
    const before = wholeContent(path);
    expect(await migrate(path)).toMatchObject({ exit_code: 0 });
    expect(query(path, "SELECT rowid FROM words WHERE words MATCH 'user'")).toEqual([[1n]]);
    expect(await downgradeMigration(path, { backup: false })).toMatchObject({ exit_code: 0 });
    expect(wholeContent(path)).toEqual(before);
  },
);

/** Any value that a column of any type may hold. */
const value = fc.oneof(
  fc.constantFrom("1", "2", "3", "4", "5", "'3'", "'3.0'", "3.0", "' 4'", "'+5'", "'1e0'", "'1.0'", "0", "1", "'0'"),
  fc.constantFrom("'x'", "'3x'", "''", "x'33'", "0.5", "'0.1'", "0.1", "'-0.0'", "-0.0", "9e999", "'9e999'", "'0x3'"),
  fc.bigInt({ min: -(2n ** 63n) + 1n, max: 2n ** 63n - 1n }).map(String),
  fc.bigInt({ min: -(2n ** 63n) + 1n, max: 2n ** 63n - 1n }).map((number) => `'${number}'`),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number.toExponential(16)),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => `'${number.toExponential(16)}'`),
);
const valid = (literals: readonly string[]): fc.Arbitrary<string> =>
  fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...literals) }, { weight: 1, arbitrary: value });
const row = fc.tuple(
  valid(["'u'", "'007'", "'7'", "7", "'a b'", "'1e3'", "12"]),
  valid(["1", "2", "'3'", "'4.0'", "5.0"]),
  valid(["0", "1", "'1'", "'0.0'", "1.0"]),
  fc.oneof(value, fc.constant("NULL"), fc.constantFrom("12", "12.5", "'12.50'", "12.345678901234567")),
);
const type = (...types: string[]): fc.Arbitrary<string> =>
  fc.constantFrom("TEXT", "VARCHAR(20)", "REAL", "", "BLOB", "INTEGER", "NUMERIC(10, 2)", "any thing", ...types);
const types: fc.Arbitrary<Types> = fc.record({
  user: type(),
  level: type(),
  success: type("BOOLEAN"),
  time: type("DOUBLE PRECISION"),
});

const OWN = [
  "CREATE INDEX my_levels ON {table}({level}, user_id)",
  "CREATE INDEX my_partial ON {table}(response_time_ms) WHERE success",
  "CREATE VIEW my_view AS SELECT id, user_id AS u, response_time_ms FROM {table} WHERE success",
  "CREATE TABLE my_log (a); CREATE TRIGGER my_trigger AFTER UPDATE ON {table} BEGIN INSERT INTO my_log VALUES (NEW.id); END",
  "CREATE TABLE my_notes (interaction_id INTEGER REFERENCES {table}(id), note); INSERT INTO my_notes SELECT id, 'n' FROM {table}",
];

/** Rows that 16 records, and the same rows as they are in a table of the specified types. */
const RECORDED = "text '1e3', integer 4, integer 1, real 12.345678901234567";

describe.each(Object.keys(LAYOUTS) as (keyof typeof LAYOUTS)[])("%s", (layout) => {
  test("any types and values are migrated, recorded into, verified, and restored exactly", async () => {
    const folder = freshFolder();
    let run = 0;
    let migrated = 0;
    await fc.assert(
      fc.asyncProperty(
        types,
        fc.array(row, { maxLength: 12 }),
        fc.subarray(OWN),
        fc.boolean(),
        fc.boolean(),
        async (declared, rows, own, backup, records) => {
          mkdirSync(join(folder, String((run += 1))));
          const path = join(folder, String(run), "m.db");
          const name = layout.startsWith("field") ? "metrics" : "interactions";
          const level = layout === "documented-16" ? "level" : layout === "field-b" ? "id" : "empathy_level";
          const database = connect(path);
          database.exec(LAYOUTS[layout](declared));
          for (const [user, one, success, time] of rows)
            database.exec(
              layout === "field-b"
                ? `INSERT INTO metrics (user_id, success, response_time_ms) VALUES (${user}, ${success}, ${time})`
                : `INSERT INTO ${name} (user_id, ${level}, success, response_time_ms) VALUES (${user}, ${one}, ${success}, ${time})`,
            );
          for (const sql of own) database.exec(sql.replaceAll("{table}", name).replaceAll("{level}", level));
          database.close();
          const before = wholeContent(path);
          const options = { invalidRows: "quarantine", missingLevel: 2, saveReport: false } as const;
          const report = await migrate(path, options);
          const [found] = report.databases;
          // Rows of another table may refer to invalid rows; a layout of 16 may need nothing.
          if (found?.status === "refused") {
            expect(found.reason).toMatch(/refer/);
            return;
          }
          if (found?.status === "nothing_to_do") {
            expect(layout).toBe("documented-16");
            return;
          }
          expect(found?.reason).toBe(null);
          expect(found).toMatchObject({ status: "migrated", verification: { differences: [] } });
          migrated += 1;
          const [next] = (await planMigration(path)).databases;
          expect(next?.status).toBe("nothing_to_do");
          // In a layout of 16 without such columns, rows of other programs stay.
          if (found?.layout !== "documented-16") expect(next?.unusual_rows.filter(({ blocks }) => blocks)).toEqual([]);
          const copy = `${path}.recorded`;
          copyFileSync(path, copy);
          for (const each of records ? [path] : [copy]) {
            const collector = new MetricsCollector(each);
            for (let count = 0; count < 3; count += 1) collector.recordInteraction("1e3", 4, true, 12.345678901234567);
            const answers = collector.getUserStats("1e3");
            expect(answers.level_4_count).toBeGreaterThanOrEqual(3);
            expect(answers.current_level).toBe(4);
            collector.close();
            expect(cells(each, "user_id", "level", "success", "response_time_ms").slice(-3)).toEqual([
              RECORDED,
              RECORDED,
              RECORDED,
            ]);
          }
          expect((await verifyMigration(path)).exit_code).toBe(0);
          const down = await downgradeMigration(path, { backup, saveReport: false });
          if (records && down.exit_code !== 0) {
            // A column of numbers cannot hold the text '1e3'.
            expect(down.databases[0]?.reason).toMatch(/is declared .*, which would change the user_id of 3 rows/);
            return;
          }
          expect(down.databases[0]?.reason).toBe(null);
          expect(down).toMatchObject({ exit_code: 0, databases: [{ status: "downgraded" }] });
          if (!records) expect(wholeContent(path)).toEqual(before);
        },
      ),
      { numRuns: 25 * RUNS },
    );
    expect(migrated).toBeGreaterThan(5);
  });
});

test.each([
  ["a CHECK", "ALTER TABLE interactions ADD COLUMN note TEXT CHECK (response_time_ms < 1e6)", "CHECK"],
  ["a UNIQUE index", "CREATE UNIQUE INDEX own ON interactions (user_id, response_time_ms)", "UNIQUE"],
])(
  "%s that refuses converted values is named by plan, with or without invalid rows",
  async (_what, own, constraint) => {
    const path = join(freshFolder(), "m.db");
    makeDatabase(
      path,
      LAYOUTS["documented-15"]({ level: "INTEGER", time: "TEXT" }),
      own,
      "INSERT INTO interactions (user_id, empathy_level, success, response_time_ms) VALUES ('u', 3, 1, '1.0e300')",
      "INSERT INTO interactions (user_id, empathy_level, success, response_time_ms) VALUES ('u', 3, 1, '1.50'), ('u', 3, 1, '1.5')",
    );
    for (const invalid of [[], ["INSERT INTO interactions (user_id, empathy_level, success) VALUES ('v', 9, 1)"]]) {
      makeDatabase(path, ...invalid);
      const before = wholeContent(path);
      const expected = {
        status: "refused",
        decisions: [],
        reason: expect.stringContaining(`${constraint} constraint failed`),
      };
      for (const change of [planMigration, migrate])
        expect((await change(path, { saveReport: false })).databases).toMatchObject([expected]);
      expect(wholeContent(path)).toEqual(before);
    }
  },
);
