import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { downgradeMigration, planMigration, verifyMigration } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { freshFolder, stampOf } from "../support/folder.ts";
import { DOCUMENTED_15, FIELD_A, makeDatabase, query } from "../../../../test/legacy/legacy_database.ts";
import { wholeContent } from "../support/whole_content.ts";

const LEVEL = DOCUMENTED_15.replaceAll("empathy_level", "level");
const rows = (table: string, level: string, values: string): string =>
  `INSERT INTO ${table} (id, user_id, ${level}, success, timestamp) VALUES ${values}`;
const OWN = rows(
  "interactions",
  "level",
  "(1, 'a', 3, 1, '2024-01-01 10:00:00'), (2, 'b', 3, 1, '2024-01-01 10:00:01')",
);
const JOINING = rows(
  "metrics",
  "empathy_level",
  "(1, 'A', 3, 1, '2024-01-01 10:00:00'), (2, 'x', 2, 1, '2024-01-01 09:59:59'), (3, 'x', 2, 1, '2024-01-01 09:59:59')",
);

const SIDE_TABLE =
  "CREATE TABLE interaction_metadata (interaction_id INTEGER PRIMARY KEY, metadata TEXT, FOREIGN KEY (interaction_id) REFERENCES interactions(id) ON DELETE CASCADE)";

function laidOut(...statements: string[]): string {
  const path = join(freshFolder(), "m.db");
  makeDatabase(path, ...statements);
  return path;
}

describe("refuses, with the reason, constraints that would reject merged rows", () => {
  test.each([
    [
      "a UNIQUE index, violated by existing rows and among the merged rows",
      [LEVEL, FIELD_A, OWN, JOINING, "CREATE UNIQUE INDEX mine ON interactions(user_id COLLATE NOCASE, timestamp)"],
      /index mine .* reject 2 of the rows of metrics/,
    ],
    [
      "a UNIQUE constraint with the level",
      [LEVEL.replace(/CURRENT_TIMESTAMP\s*\)/, "CURRENT_TIMESTAMP, UNIQUE (level, timestamp))"), FIELD_A, OWN, JOINING],
      /index sqlite_autoindex_interactions_1 .* reject 2 of/,
    ],
    [
      "a UNIQUE index of an expression",
      [LEVEL, FIELD_A, OWN, JOINING, "CREATE UNIQUE INDEX mine ON interactions(lower(user_id))"],
      /index mine .* up to 3 of/,
    ],
    [
      "a UNIQUE index of some rows only",
      [LEVEL, FIELD_A, OWN, JOINING, "CREATE UNIQUE INDEX mine ON interactions(level) WHERE id > 1"],
      /index mine .* reject up to 2 of the rows of metrics/,
    ],
    [
      "a UNIQUE index of the side table",
      [
        LEVEL,
        FIELD_A,
        OWN,
        JOINING,
        SIDE_TABLE,
        "INSERT INTO interaction_metadata VALUES (1, 'same'); UPDATE metrics SET metadata = 'same' WHERE id > 1",
        "CREATE UNIQUE INDEX mine ON interaction_metadata(metadata)",
      ],
      /index mine of interaction_metadata would reject 2 of the rows of metrics/,
    ],
    [
      "a CHECK constraint of the side table",
      [
        LEVEL,
        FIELD_A,
        OWN,
        JOINING,
        SIDE_TABLE.replace("metadata TEXT", "metadata TEXT CHECK (metadata <> '')"),
        "UPDATE metrics SET metadata = 'm'",
      ],
      /interaction_metadata, which has a CHECK constraint/,
    ],
    [
      "a virtual table that uses the name of the second table",
      [LEVEL, FIELD_A, OWN, JOINING, "CREATE VIRTUAL TABLE mine USING fts5(user_id, content=metrics)"],
      /virtual table mine uses the name metrics/,
    ],
    [
      "a virtual table that uses the old name of the column",
      [
        DOCUMENTED_15,
        FIELD_A,
        OWN.replace("level", "empathy_level"),
        JOINING,
        "CREATE VIRTUAL TABLE mine USING fts5(empathy_level, content=interactions)",
      ],
      /virtual table mine uses the name empathy_level/,
    ],
    [
      "a CHECK constraint",
      [
        LEVEL.replace("success BOOLEAN NOT NULL", "success BOOLEAN NOT NULL CHECK (success IN (0, 1))"),
        FIELD_A,
        OWN,
        JOINING,
      ],
      /interactions, which has a CHECK constraint/,
    ],
    [
      "ON CONFLICT",
      [
        LEVEL.replace(/CURRENT_TIMESTAMP\s*\)/, "CURRENT_TIMESTAMP, UNIQUE (user_id) ON CONFLICT REPLACE)"),
        FIELD_A,
        OWN,
        JOINING,
      ],
      /interactions, which has an ON CONFLICT clause/,
    ],
    [
      "a NOT NULL column without a value",
      [LEVEL.replace("response_time_ms REAL", "response_time_ms REAL NOT NULL DEFAULT 1"), FIELD_A, OWN, JOINING],
      /Cannot add 3 rows of metrics .* column response_time_ms/,
    ],
    [
      "a FOREIGN KEY",
      [
        `CREATE TABLE users (name PRIMARY KEY); INSERT INTO users VALUES ('a'), ('b'), ('A')`,
        LEVEL.replace("user_id TEXT NOT NULL", "user_id TEXT NOT NULL REFERENCES users"),
        FIELD_A,
        OWN,
        JOINING,
      ],
      /Cannot add 2 rows of metrics .* refer to rows of users/,
    ],
  ])("%s", async (_what, statements, said) => {
    const path = laidOut(...statements);
    const before = stampOf(join(path, ".."));
    for (const command of [planMigration, migrate]) {
      expect(await command(path)).toMatchObject({
        exit_code: 3,
        databases: [{ status: "refused", reason: expect.stringMatching(said) }],
      });
      expect(stampOf(join(path, ".."))).toBe(before);
    }
  });
});

test("merges rows that violate no index or constraint", async () => {
  const path = laidOut(
    LEVEL.replace("success BOOLEAN", "extra, success BOOLEAN"),
    FIELD_A,
    OWN,
    JOINING,
    "CREATE UNIQUE INDEX one ON interactions(user_id, id)",
    "CREATE UNIQUE INDEX two ON interactions(extra, user_id)",
    "DELETE FROM metrics WHERE id = 3",
    "CREATE UNIQUE INDEX three ON interactions(user_id, timestamp, id)",
  );
  expect(await planMigration(path)).toMatchObject({ exit_code: 0 });
  expect(await migrate(path)).toMatchObject({ exit_code: 0, databases: [{ status: "migrated" }] });
  expect(query(path, "SELECT count(*) FROM interactions")).toEqual([[4n]]);
});

test("ignores constraints if no row is merged", async () => {
  const path = laidOut(
    LEVEL.replace("success BOOLEAN NOT NULL", "success BOOLEAN NOT NULL CHECK (success < 2)"),
    FIELD_A,
    OWN,
  );
  expect(await migrate(path)).toMatchObject({ exit_code: 0, databases: [{ status: "migrated" }] });
});

test("merges values of another type only into a column that does not convert them", async () => {
  const typed = (type: string): string =>
    laidOut(LEVEL.replace("response_time_ms REAL", `response_time_ms ${type}`), FIELD_A, OWN, JOINING);
  // A TEXT column gets its specified type first.
  for (const type of ["", "TEXT"]) {
    const path = typed(type);
    const before = wholeContent(path);
    expect(await migrate(path)).toMatchObject({ exit_code: 0, databases: [{ status: "migrated" }] });
    expect(query(path, "SELECT count(*) FROM interactions WHERE typeof(response_time_ms) <> 'text'")).toEqual([[5n]]);
    expect(await verifyMigration(path)).toMatchObject({ exit_code: 0 });
    expect(await downgradeMigration(path, { backup: false })).toMatchObject({ exit_code: 0 });
    expect(wholeContent(path)).toEqual(before);
  }
  expect(await migrate(typed("INTEGER"))).toMatchObject({
    exit_code: 3,
    databases: [{ reason: expect.stringMatching(/the column response_time_ms has the affinity REAL.*NUMERIC/) }],
  });
});

test("accepts a virtual table that uses neither name if the column already has its new name", async () => {
  const path = laidOut(LEVEL, FIELD_A, OWN, JOINING, "CREATE VIRTUAL TABLE mine USING fts5(level)");
  expect(await planMigration(path)).toMatchObject({ exit_code: 0 });
});

test("ignores the case of column names", async () => {
  const path = laidOut(
    LEVEL,
    FIELD_A.replace("id INTEGER PRIMARY KEY", "ID INTEGER PRIMARY KEY").replace("user_id TEXT", "USER_ID TEXT"),
    OWN,
    JOINING,
  );
  expect(await migrate(path)).toMatchObject({ exit_code: 0, databases: [{ status: "migrated" }] });
  expect(query(path, "SELECT id, user_id FROM interactions ORDER BY id")).toEqual([
    [-2n, "A"],
    [-1n, "x"],
    [0n, "x"],
    [1n, "a"],
    [2n, "b"],
  ]);
});
