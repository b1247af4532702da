import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { migrate, type MigrationOptions, verifyMigration } from "../../src/index.ts";
import { freshFolder } from "../support/folder.ts";
import { addRows, connect, type Connection, FIELD_A, makeDatabase, query } from "../support/legacy_database.ts";

const FIELD_B = FIELD_A.replace("empathy_level INTEGER NOT NULL,", "").replace(/CREATE INDEX[^;]*empathy_level\);/, "");

async function compat(options: MigrationOptions, ...statements: string[]): Promise<{ path: string; old: Connection }> {
  const path = join(freshFolder(), "m.db");
  makeDatabase(path, ...statements);
  expect(await migrate(path, { fence: "compat", ...options })).toMatchObject({
    exit_code: 0,
    databases: [{ status: "migrated" }],
  });
  return { path, old: connect(path) };
}

const rowsOf = (path: string): unknown[] =>
  query(
    path,
    "SELECT user_id, level, success, response_time_ms, metadata FROM interactions LEFT JOIN interaction_metadata ON interaction_id = id ORDER BY id",
  );

test("the view returns the same rows as the table", async () => {
  const path = join(freshFolder(), "m.db");
  makeDatabase(path, FIELD_A, "ALTER TABLE metrics ADD COLUMN team TEXT DEFAULT 'none'");
  addRows(path, "metrics", 12);
  const questions = [
    "SELECT * FROM metrics ORDER BY id",
    "SELECT user_id, empathy_level, count(*), avg(response_time_ms), sum(CASE WHEN success THEN 1 ELSE 0 END) FROM metrics GROUP BY user_id, empathy_level ORDER BY 1, 2",
    "SELECT metadata FROM metrics WHERE user_id = 'u1' ORDER BY timestamp, id",
  ];
  const answers = questions.map((question) => query(path, question));
  expect((await migrate(path, { fence: "compat" })).exit_code).toBe(0);
  expect(questions.map((question) => query(path, question))).toEqual(answers);
});

describe("a row that is recorded through the view", () => {
  test("is stored in interactions, with its metadata, like in the table", async () => {
    const { path, old } = await compat({}, FIELD_A, "ALTER TABLE metrics ADD COLUMN team TEXT DEFAULT 'none'");
    old
      .prepare(
        "INSERT INTO metrics (user_id, empathy_level, success, response_time_ms, metadata) VALUES (?, ?, ?, ?, ?)",
      )
      .run("a", "3", 1, "2.5", '{"n": NaN}');
    old.exec("INSERT INTO metrics (id, user_id, empathy_level, success, team) VALUES (70, 'b', 2.0, 'yes', 'x')");
    expect(rowsOf(path)).toEqual([
      ["a", 3n, 1n, 2.5, '{"n": NaN}'],
      ["b", 2n, "yes", null, null],
    ]);
    expect(query(path, "SELECT id, team FROM interactions ORDER BY id")).toEqual([
      [1n, "none"],
      [70n, "x"],
    ]);
    expect(query(path, "SELECT count(*) FROM interactions WHERE timestamp LIKE '____-__-__ __:__:__'")).toEqual([[2n]]);
    old.close();
    expect(await migrate(path, { fence: "compat" })).toMatchObject({ databases: [{ status: "nothing_to_do" }] });
    expect(await verifyMigration(path)).toMatchObject({ exit_code: 0 });
  });

  test("gets the default of a column for an explicit NULL", async () => {
    const { path, old } = await compat({}, FIELD_A);
    old.exec(
      "INSERT INTO metrics (user_id, empathy_level, success, timestamp, response_time_ms) VALUES ('a', 3, 1, NULL, NULL)",
    );
    old.close();
    expect(query(path, "SELECT timestamp LIKE '____-__-__ __:__:__', response_time_ms FROM interactions")).toEqual([
      [1n, null],
    ]);
  });

  test("gets the current level of its user, or 1, if it has none", async () => {
    const { path, old } = await compat(
      { missingLevel: 4 },
      FIELD_B,
      "INSERT INTO metrics (user_id, success) VALUES ('a', 1)",
    );
    old.exec("INSERT INTO metrics (user_id, success) VALUES ('a', 0), ('new', 1)");
    old.exec("INSERT INTO metrics (user_id, success, empathy_level) VALUES ('new', 1, 5)");
    old.exec("INSERT INTO metrics (user_id, success) VALUES ('new', 0)");
    expect(query(path, "SELECT user_id, level FROM interactions ORDER BY id")).toEqual([
      ["a", 4n],
      ["a", 4n],
      ["new", 1n],
      ["new", 5n],
      ["new", 5n],
    ]);
    old.close();
  });

  test.each(["6", "0", "2.5", "'high'", "x'03'"])(
    "is rejected with the level %s, and nothing is stored",
    async (level) => {
      const { path, old } = await compat({}, FIELD_A);
      expect(() =>
        old.exec(
          `INSERT INTO metrics (user_id, empathy_level, success, metadata) VALUES ('a', 1, 1, 'x'), ('b', ${level}, 1, 'y')`,
        ),
      ).toThrow("only levels from 1 to 5");
      expect(rowsOf(path)).toEqual([]);
      expect(query(path, "SELECT count(*) FROM interaction_metadata")).toEqual([[0n]]);
      old.close();
    },
  );

  test("that a trigger ignores stores no metadata", async () => {
    const { path, old } = await compat(
      {},
      FIELD_A,
      "CREATE TRIGGER mine BEFORE INSERT ON metrics WHEN NEW.user_id = 'bot' BEGIN SELECT RAISE(IGNORE); END",
      "CREATE TABLE log (a); CREATE TRIGGER noted AFTER INSERT ON metrics BEGIN INSERT INTO log VALUES (NEW.user_id), ('also'); END",
    );
    old.exec("INSERT INTO metrics (user_id, empathy_level, success) VALUES ('a', 1, 1)");
    old.exec("INSERT INTO metrics (user_id, empathy_level, success, metadata) VALUES ('bot', 1, 1, 'lost')");
    old.exec("INSERT OR IGNORE INTO metrics (user_id, empathy_level, success, metadata) VALUES (NULL, 1, 1, 'lost')");
    old.exec("INSERT INTO metrics (user_id, empathy_level, success, metadata) VALUES ('b', 1, 1, 'kept')");
    expect(rowsOf(path)).toEqual([
      ["a", 1n, 1n, null, null],
      ["b", 1n, 1n, null, "kept"],
    ]);
    old.close();
  });
});

test("all other uses of the table fail with an error", async () => {
  const { old } = await compat({}, FIELD_A, "INSERT INTO metrics (user_id, empathy_level, success) VALUES ('a', 1, 1)");
  expect(() => old.exec(FIELD_A)).toThrow("views may not be indexed");
  for (const statement of ["UPDATE metrics SET success = 0", "DELETE FROM metrics"])
    expect(() => old.exec(statement)).toThrow("because it is a view");
  expect(() => old.exec("ALTER TABLE metrics DROP COLUMN empathy_level")).toThrow("view");
  old.close();
});
