import { join } from "node:path";
import { PostgresTables } from "@perdura/postgres/tables";
import { describeWithPostgres } from "@perdura/test-servers/postgres/for_tests.js";
import Database from "better-sqlite3";
import { expect, test } from "vitest";
import { copyData } from "../../src/index.ts";
import { freshFolder } from "../support/folder.ts";
import { contentOf, makeDatabase, newSchema, otherProgram, patternRow } from "./both_sides.ts";

const PATTERNS = ["p", "q"].map((id, index) => patternRow(id, BigInt(index + 1)));
const INTERACTIONS = [1n, 2n, 3n, 4n].map((id) => [id, "u", 3n, 1n, 1.5, "then"]);
const ROWS = {
  patterns: PATTERNS,
  usage: [[1n, "p", "a", 1n, "then"]],
  interactions: INTERACTIONS,
  metadata: [[2n, "{}"]],
};

describeWithPostgres("what needs a decision", (postgres) => {
  test.each([
    [
      "a NUL character",
      "UPDATE interactions SET user_id = 'a' || char(0) WHERE id = 2",
      "interactions",
      "user_id",
      /NUL/,
    ],
    [
      "text as a level",
      "UPDATE interactions SET level = 'high' WHERE id = 2",
      "interactions",
      "level",
      /found text "high"/,
    ],
    [
      "a level beyond 32 bits",
      "UPDATE interactions SET level = 3000000000 WHERE id = 2",
      "interactions",
      "level",
      /32 bits/,
    ],
    [
      "a level that is not an integer",
      "UPDATE interactions SET level = 1.5 WHERE id = 2",
      "interactions",
      "level",
      /real number 1.5/,
    ],
    [
      "text as a time taken",
      "UPDATE interactions SET response_time_ms = 'slow' WHERE id = 2",
      "interactions",
      "response_time_ms",
      /expected a number/,
    ],
    [
      "a number as a time",
      "UPDATE interactions SET timestamp = 5 WHERE id = 2",
      "interactions",
      "timestamp",
      /the integer 5/,
    ],
    [
      "an invalid boolean",
      "UPDATE interactions SET success = 2 WHERE id = 2",
      "interactions",
      "success",
      /expected 0 or 1/,
    ],
    [
      "text that is not UTF-8",
      "UPDATE interactions SET user_id = CAST(x'61ff' AS TEXT) WHERE id = 2",
      "interactions",
      "user_id",
      /not UTF-8/,
    ],
    ["a blob", "UPDATE patterns SET code = x'00ff' WHERE id = 'p'", "patterns", "code", /a blob of 2 bytes/],
    [
      "metadata that is not text",
      "UPDATE interaction_metadata SET metadata = x'7b7d'",
      "interaction_metadata",
      "metadata",
      /a blob of 2 bytes/,
    ],
    [
      "usage of a missing pattern",
      "PRAGMA foreign_keys = OFF; DELETE FROM patterns WHERE id = 'p'",
      "pattern_usage",
      "pattern",
      /does not exist/,
    ],
  ])("%s is listed before anything is written", async (_name, change, table, column, reason) => {
    const schema = newSchema();
    const source = makeDatabase(join(freshFolder(), "m.db"), ROWS);
    const database = new Database(source);
    database.exec(change);
    database.close();
    const report = await copyData(source, postgres.url, { schema });
    expect(report).toMatchObject({ exit_code: 3, faults: [{ table, column }] });
    expect(report.faults[0]?.reason).toMatch(reason);
    const other = await otherProgram(postgres.url, schema);
    expect((await other.query("SELECT 1 FROM pg_namespace WHERE nspname = $1", [schema])).rows).toEqual([]);
  });

  test("leaves out rows that go to quarantine on the private copy", async () => {
    const source = makeDatabase(join(freshFolder(), "m.db"), ROWS);
    const database = new Database(source);
    database.exec("UPDATE interactions SET level = 9 WHERE id = 2");
    database.close();
    expect(await copyData(source, postgres.url, { schema: newSchema(), invalidRows: "quarantine" })).toMatchObject({
      exit_code: 0,
      verified: true,
      tables: expect.arrayContaining([expect.objectContaining({ table: "interactions", rows: 3 })]) as unknown,
    });
  });

  test("copies U+FFFD itself", async () => {
    const source = makeDatabase(join(freshFolder(), "m.db"), { interactions: [[1n, "a\ufffd", 3n, 1n, null, null]] });
    expect(await copyData(source, postgres.url, { schema: newSchema() })).toMatchObject({
      exit_code: 0,
      verified: true,
    });
  });

  test("lists NaN, and times that SQLite would convert to numbers", async () => {
    const schema = newSchema();
    const folder = freshFolder();
    await copyData(makeDatabase(join(folder, "m.db"), ROWS), postgres.url, { schema });
    const other = await otherProgram(postgres.url, schema);
    await other.query("UPDATE interactions SET response_time_ms = 'NaN' WHERE id = 1");
    await other.query("UPDATE interactions SET timestamp = '2024' WHERE id = 2");
    const report = await copyData(postgres.url, join(folder, "back.db"), { schema });
    expect(report.exit_code).toBe(3);
    expect(report.faults.map(({ key, column }) => [key, column])).toEqual([
      ["1", "response_time_ms"],
      ["2", "timestamp"],
    ]);
  });

  test.each(["PostgreSQL", "SQLite"])(
    "refuses to copy if rows of %s differ; overwrites them with replace",
    async (into) => {
      const schema = newSchema();
      const folder = freshFolder();
      const sqlite = makeDatabase(join(folder, "m.db"), ROWS);
      await copyData(sqlite, postgres.url, { schema });
      const changes = [
        "UPDATE interactions SET level = 4 WHERE id = 2",
        "DELETE FROM interactions WHERE id = 3",
        "UPDATE patterns SET name = 'other' WHERE id = 'p'",
        "UPDATE interactions SET id = 0 WHERE id = 1",
      ];
      if (into === "SQLite") {
        const database = new Database(sqlite);
        for (const change of changes) database.exec(change);
        database.close();
      } else {
        const other = await otherProgram(postgres.url, schema);
        for (const change of changes) await other.query(change);
      }
      const [source, target] = into === "SQLite" ? [postgres.url, sqlite] : [sqlite, postgres.url];
      const before = contentOf(sqlite);
      const stopped = await copyData(source, target, { schema });
      expect(stopped).toMatchObject({ exit_code: 3, verified: false });
      expect(stopped.tables.map(({ table, differences }) => [table, differences])).toEqual([
        ["patterns", [{ key: "p", columns: ["name"] }]],
        ["pattern_usage", []],
        [
          "interactions",
          [
            { key: "2", columns: ["level"] },
            { key: "0", columns: ["only in the target"] },
          ],
        ],
        ["interaction_metadata", []],
      ]);
      expect(contentOf(sqlite)).toEqual(before);
      expect(await copyData(source, target, { schema, dryRun: true, replace: true })).toMatchObject({ exit_code: 0 });
      expect(contentOf(sqlite)).toEqual(before);
      expect(await copyData(source, target, { schema, replace: true })).toMatchObject({ exit_code: 0, verified: true });
      const repeated = await copyData(source, target, { schema });
      expect(repeated).toMatchObject({ exit_code: 0, verified: true });
      expect(repeated.tables.map(({ copied }) => copied)).toEqual([0, 0, 0, 0]);
    },
  );

  test("finds a row that the target changed at the end, with exit code 4", async () => {
    const schema = newSchema();
    const folder = freshFolder();
    await copyData(makeDatabase(join(folder, "empty.db")), postgres.url, { schema });
    const other = await otherProgram(postgres.url, schema);
    await other.query(`CREATE FUNCTION bend() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN IF NEW.id = 3 THEN NEW.level := 5; END IF; RETURN NEW; END $$`);
    await other.query("CREATE TRIGGER bend BEFORE INSERT ON interactions FOR EACH ROW EXECUTE FUNCTION bend()");
    const report = await copyData(makeDatabase(join(folder, "m.db"), ROWS), postgres.url, { schema });
    expect(report).toMatchObject({ exit_code: 4, verified: false });
    expect(report.tables.find(({ table }) => table === "interactions")).toMatchObject({
      differences: [{ key: "3", columns: ["level"] }],
      difference_count: 1,
    });
  });

  test("stores the user with metadata if interactions are partitioned", async () => {
    const schema = newSchema();
    const folder = freshFolder();
    const tables = new PostgresTables(postgres.url, { schema, partitions: 3 });
    await tables.ensure();
    await tables.close();
    const source = makeDatabase(join(folder, "m.db"), ROWS);
    expect(await copyData(source, postgres.url, { schema })).toMatchObject({ exit_code: 0, verified: true });
    const back = join(folder, "back.db");
    expect(await copyData(postgres.url, back, { schema })).toMatchObject({ exit_code: 0, verified: true });
    expect(contentOf(back)).toEqual(contentOf(source));
  });

  test("a dry run creates nothing", async () => {
    const schema = newSchema();
    const folder = freshFolder();
    const source = makeDatabase(join(folder, "m.db"), ROWS);
    expect(await copyData(source, postgres.url, { schema, dryRun: true })).toMatchObject({
      exit_code: 0,
      verified: false,
    });
    const other = await otherProgram(postgres.url, schema);
    expect((await other.query("SELECT 1 FROM pg_namespace WHERE nspname = $1", [schema])).rows).toEqual([]);
    await expect(copyData(postgres.url, join(folder, "back"), { schema })).rejects.toThrow(/nothing was saved/);
  });
});
