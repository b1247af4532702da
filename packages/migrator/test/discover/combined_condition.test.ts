import { describe, expect, test } from "vitest";
import { anyCheckCondition, countRows } from "../../src/database/inspect/count_rows.ts";
import { interactionProblems } from "@perdura/internals/validity/interaction_problems.js";
import { atOnce } from "../../src/core/progress.ts";
import { type Connection, connect } from "../../../../test/legacy/legacy_database.ts";

const TABLE = {
  name: "metrics",
  columns: ["id", "user_id", "empathy_level", "success", "response_time_ms", "timestamp", "metadata"],
  names: {
    user_id: "user_id",
    level: "empathy_level",
    success: "success",
    response_time_ms: "response_time_ms",
    timestamp: "timestamp",
    metadata: "metadata",
  },
  sideTable: false,
  otherTypes: [],
};

/** Values of every storage class, at both ends of the valid range. */
const VALUES = [
  ..."NULL, 0, 1, 2, 3, 5, 6, -1, 9007199254740993, 0.0, 1.0, 0.5, 2.5, 5.5, -0.1, 9e999, -9e999".split(", "),
  ..."1.7976931348623157e308, '', 'a', '1', '1.0', '3', ' ', 'a' || char(0) || 'b', char(0), x'', x'31', x'00'".split(
    ", ",
  ),
];

const IN_ORDER: Record<string, string> = {
  user_id: "'u'",
  empathy_level: "3",
  success: "1",
  response_time_ms: "1.5",
  timestamp: "'2025-01-01 00:00:00'",
  metadata: "'{}'",
};

/** One row for each value in each column, and as many valid rows; ids with gaps. */
function tableOf(types: readonly string[], ...indexes: string[]): Connection {
  const database = connect(":memory:");
  const names = Object.keys(IN_ORDER);
  const columns = names.map((name, index) => `${name} ${types[index]}`);
  database.exec(`CREATE TABLE metrics (id INTEGER PRIMARY KEY, ${columns.join(", ")})`);
  for (const index of indexes) database.exec(index);
  for (const column of names)
    for (const value of VALUES) {
      const row = names.map((name) => (name === column ? value : IN_ORDER[name]));
      database.exec(`INSERT INTO metrics SELECT ifnull(max(id), -500) + 7, ${row.join(", ")} FROM metrics`);
    }
  return database;
}

const DECLARED = ["TEXT", "INTEGER", "BOOLEAN", "REAL", "TIMESTAMP DEFAULT CURRENT_TIMESTAMP", "TEXT"];
const INDEXES = ["CREATE INDEX i ON metrics(user_id, empathy_level)", "CREATE INDEX j ON metrics(timestamp)"];

describe.each([
  ["as programs declare them", DECLARED, []],
  ["with the indexes of programs", DECLARED, INDEXES],
  ["without types", ["", "", "", "", "", ""], INDEXES],
  ["with text in every column", ["TEXT", "TEXT", "TEXT", "TEXT", "TEXT", "TEXT"], INDEXES],
  ["with text for the response time", ["TEXT", "INTEGER", "BOOLEAN", "TEXT", "TEXT", "TEXT"], []],
  ["with numbers in every column", ["INT", "NUMERIC", "REAL", "INT", "INT", "NUMERIC"], []],
  ["with collations", ["TEXT COLLATE NOCASE", "INTEGER", "INT", "REAL", "TEXT COLLATE RTRIM", "TEXT"], INDEXES],
  [
    "with indexes that do not say everything",
    DECLARED,
    [
      "CREATE INDEX i ON metrics(user_id) WHERE id < 0",
      "CREATE INDEX j ON metrics(timestamp COLLATE NOCASE)",
      "CREATE INDEX k ON metrics(id, timestamp)",
    ],
  ],
])("columns %s", (_what, types, indexes) => {
  test("the combined condition finds all rows that a check reports", () => {
    const database = tableOf(types, ...indexes);
    const any = interactionProblems(TABLE).map(({ condition }) => `ifnull(${condition}, 0)`);
    const missed = database
      .prepare(
        `SELECT * FROM metrics WHERE (${any.join(" OR ")}) AND (${anyCheckCondition(database, TABLE, 1)}) IS NOT TRUE`,
      )
      .all();
    expect(missed).toEqual([]);
    database.close();
  });

  test("the counts equal those of the single checks", () => {
    const database = tableOf(types, ...indexes);
    const count = (condition: string): number =>
      database.prepare(`SELECT count(*) FROM metrics WHERE ${condition}`).pluck().get() as number;
    const checks = interactionProblems(TABLE);
    const expected = checks.map(({ kind, condition }) => [kind, count(condition)]).filter(([, rows]) => rows !== 0);
    const { rows, unusual, blocked } = atOnce(countRows(database, TABLE));
    expect(rows).toBe(6 * VALUES.length);
    expect(unusual.map((found) => [found.kind, found.rows])).toEqual(expected);
    const blocking = checks.filter(({ blocks }) => blocks).map(({ condition }) => `(${condition})`);
    expect(blocked).toBe(count(blocking.join(" OR ")));
    database.close();
  });
});

test("reads few valid rows twice", () => {
  const database = tableOf(DECLARED, ...INDEXES);
  database.exec("DELETE FROM metrics WHERE typeof(timestamp) <> 'text' OR user_id = ''");
  const condition = anyCheckCondition(database, TABLE, 100);
  expect(condition).not.toContain("timestamp");
  database.exec("DELETE FROM metrics");
  database.exec("INSERT INTO metrics VALUES (1, 'u', 3, 1, 0, '2025', NULL), (2, ' ', 5, 0, NULL, 'x', '[]')");
  expect(database.prepare(`SELECT count(*) FROM metrics WHERE ${condition}`).pluck().get()).toBe(0);
  database.close();
});

describe("a NUL character in the id of a user", () => {
  const INDEX = "CREATE INDEX i ON metrics(user_id)";
  const conditionFor = (users: readonly string[], rows: number, index = INDEX, type = "TEXT"): string => {
    const database = tableOf([type, ...DECLARED.slice(1)], index);
    database.exec("DELETE FROM metrics");
    const insert = database.prepare("INSERT INTO metrics VALUES (NULL, ?, 3, 1, 0, '2025', NULL)");
    for (const user of users) insert.run(user);
    const condition = anyCheckCondition(database, TABLE, rows);
    database.close();
    return condition;
  };

  test.each([
    ["few users, none with one", ["u", "v", "u"], 300, INDEX, "TEXT"],
    ["many users, none with one", ["u", "v", "w"], 100, INDEX, "TEXT"],
    ["no users", [], 0, INDEX, "TEXT"],
  ])("is excluded by an index: %s", (_what, users, rows, index, type) => {
    expect(conditionFor(users, rows, index, type)).not.toContain('instr("user_id"');
  });

  test.each([
    ["the last of few users has one", ["u", "v", "v\0"], 400, INDEX, "TEXT"],
    ["the first of few users has one", ["\0", "u"], 400, INDEX, "TEXT"],
    ["the last of many users has one", ["u", "v", "w\0"], 100, INDEX, "TEXT"],
    ["the first of many users has one", ["\0", "v", "w"], 100, INDEX, "TEXT"],
    ["the index holds some rows only", ["u"], 300, `${INDEX} WHERE id < 0`, "TEXT"],
    ["the index takes different ids for one", ["u"], 300, INDEX, "TEXT COLLATE NOCASE"],
    ["the index is that of an expression", ["u"], 300, "CREATE INDEX i ON metrics(lower(user_id))", "TEXT"],
  ])("is searched in every row: %s", (_what, users, rows, index, type) => {
    expect(conditionFor(users, rows, index, type)).toContain('instr("user_id"');
  });
});
