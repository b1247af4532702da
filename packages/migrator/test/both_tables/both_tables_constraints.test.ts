import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { downgradeMigration, planMigration, verifyMigration } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { ALL_TABLES, isMerged, rotated, TABLES_WITH_ALL_COLUMNS, useLayout } from "../layouts/layout_suite.ts";
import { DOCUMENTED_15_WITH_NOTE, type OldTable, optionsFor, spelled } from "../layouts/old_table.ts";
import { freshFolder, stampOf } from "../support/folder.ts";
import { makeDatabase, query } from "../../../../test/legacy/legacy_database.ts";
import { wholeContent } from "../support/whole_content.ts";

const LEVEL = DOCUMENTED_15_WITH_NOTE.replaceAll("empathy_level", "level");
const OWN =
  "INSERT INTO interactions (id, user_id, level, success, timestamp) VALUES (1, 'a', 3, 1, '2024-01-01 10:00:00'), (2, 'b', 3, 1, '2024-01-01 10:00:01')";
/** A statement about the second table, in the names of field layout A. */
type OfSecond = (old: OldTable) => string;
const second =
  (sql: string): OfSecond =>
  (old) =>
    spelled(old, sql);
const SECOND: OfSecond = ({ create }) => create;
const JOINING = second(
  "INSERT INTO metrics (id, user_id, empathy_level, success, timestamp) VALUES (1, 'A', 3, 1, '2024-01-01 10:00:00'), (2, 'x', 2, 1, '2024-01-01 09:59:59'), (3, 'x', 2, 1, '2024-01-01 09:59:59')",
);
/** Tables whose rows are merged. */
const MERGED = TABLES_WITH_ALL_COLUMNS.filter(isMerged);

const SIDE_TABLE =
  "CREATE TABLE interaction_metadata (interaction_id INTEGER PRIMARY KEY, metadata TEXT, FOREIGN KEY (interaction_id) REFERENCES interactions(id) ON DELETE CASCADE)";

function laidOut(old: OldTable, ...statements: (string | OfSecond)[]): string {
  useLayout(old);
  const path = join(freshFolder(), "m.db");
  makeDatabase(path, ...statements.map((one) => (typeof one === "string" ? one : one(old))));
  return path;
}

describe("refuses, with the reason, constraints that would reject merged rows", () => {
  const CASES: [what: string, statements: (string | OfSecond)[], said: RegExp][] = [
    [
      "a UNIQUE index, violated by existing rows and among the merged rows",
      [LEVEL, SECOND, OWN, JOINING, "CREATE UNIQUE INDEX mine ON interactions(user_id COLLATE NOCASE, timestamp)"],
      /index mine .* reject 2 of the rows of metrics/,
    ],
    [
      "a UNIQUE constraint with the level",
      [LEVEL.replace(/my_note TEXT\s*\)/, "my_note TEXT, UNIQUE (level, timestamp))"), SECOND, OWN, JOINING],
      /index sqlite_autoindex_interactions_1 .* reject 2 of/,
    ],
    [
      "a UNIQUE index of an expression",
      [LEVEL, SECOND, OWN, JOINING, "CREATE UNIQUE INDEX mine ON interactions(lower(user_id))"],
      /index mine .* up to 3 of/,
    ],
    [
      "a UNIQUE index of some rows only",
      [LEVEL, SECOND, OWN, JOINING, "CREATE UNIQUE INDEX mine ON interactions(level) WHERE id > 1"],
      /index mine .* reject up to 2 of the rows of metrics/,
    ],
    [
      "a UNIQUE index of the side table",
      [
        LEVEL,
        SECOND,
        OWN,
        JOINING,
        SIDE_TABLE,
        "INSERT INTO interaction_metadata VALUES (1, 'same')",
        second("UPDATE metrics SET metadata = 'same' WHERE id > 1"),
        "CREATE UNIQUE INDEX mine ON interaction_metadata(metadata)",
      ],
      /index mine of interaction_metadata would reject 2 of the rows of metrics/,
    ],
    [
      "a CHECK constraint of the side table",
      [
        LEVEL,
        SECOND,
        OWN,
        JOINING,
        SIDE_TABLE.replace("metadata TEXT", "metadata TEXT CHECK (metadata <> '')"),
        second("UPDATE metrics SET metadata = 'm'"),
      ],
      /interaction_metadata, which has a CHECK constraint/,
    ],
    [
      "a virtual table that uses the name of the second table",
      [LEVEL, SECOND, OWN, JOINING, second("CREATE VIRTUAL TABLE mine USING fts5(user_id, content=metrics)")],
      /virtual table mine uses the name metrics/,
    ],
    [
      "a virtual table that uses the old name of the column",
      [
        DOCUMENTED_15_WITH_NOTE,
        SECOND,
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
        SECOND,
        OWN,
        JOINING,
      ],
      /interactions, which has a CHECK constraint/,
    ],
    [
      "ON CONFLICT",
      [LEVEL.replace(/my_note TEXT\s*\)/, "my_note TEXT, UNIQUE (user_id) ON CONFLICT REPLACE)"), SECOND, OWN, JOINING],
      /interactions, which has an ON CONFLICT clause/,
    ],
    [
      "a NOT NULL column without a value",
      [LEVEL.replace("response_time_ms REAL", "response_time_ms REAL NOT NULL DEFAULT 1"), SECOND, OWN, JOINING],
      /Cannot add 3 rows of metrics .* column response_time_ms/,
    ],
    [
      "a FOREIGN KEY",
      [
        `CREATE TABLE users (name PRIMARY KEY); INSERT INTO users VALUES ('a'), ('b'), ('A')`,
        LEVEL.replace("user_id TEXT NOT NULL", "user_id TEXT NOT NULL REFERENCES users"),
        SECOND,
        OWN,
        JOINING,
      ],
      /Cannot add 2 rows of metrics .* refer to rows of users/,
    ],
  ];

  test.each(rotated(CASES, MERGED))("%s", async (_what, statements, said, old) => {
    const path = laidOut(old, ...statements);
    const before = stampOf(join(path, ".."));
    for (const command of [planMigration, migrate]) {
      expect(await command(path)).toMatchObject({
        exit_code: 3,
        databases: [{ status: "refused", reason: expect.stringMatching(said.source.replace("metrics", old.table)) }],
      });
      expect(stampOf(join(path, ".."))).toBe(before);
    }
  });
});

test.each(MERGED)("merges rows of $table that violate no index or constraint", async (old) => {
  const path = laidOut(
    old,
    LEVEL.replace("success BOOLEAN", "extra, success BOOLEAN"),
    SECOND,
    OWN,
    JOINING,
    "CREATE UNIQUE INDEX one ON interactions(user_id, id)",
    "CREATE UNIQUE INDEX two ON interactions(extra, user_id)",
    second("DELETE FROM metrics WHERE id = 3"),
    "CREATE UNIQUE INDEX three ON interactions(user_id, timestamp, id)",
  );
  expect(await planMigration(path)).toMatchObject({ exit_code: 0 });
  expect(await migrate(path)).toMatchObject({ exit_code: 0, databases: [{ status: "migrated" }] });
  expect(query(path, "SELECT count(*) FROM interactions")).toEqual([[4n]]);
});

test.each(ALL_TABLES.filter(isMerged))(
  "ignores constraints if no row of $table ($names.level) is merged",
  async (old) => {
    const path = laidOut(
      old,
      LEVEL.replace("success BOOLEAN NOT NULL", "success BOOLEAN NOT NULL CHECK (success < 2)"),
      SECOND,
      OWN,
    );
    expect(await migrate(path, optionsFor(old))).toMatchObject({ exit_code: 0, databases: [{ status: "migrated" }] });
  },
);

test.each(MERGED)(
  "merges values of another type of $table only into a column that does not convert them",
  async (old) => {
    const typed = (type: string): string =>
      laidOut(old, LEVEL.replace("response_time_ms REAL", `response_time_ms ${type}`), SECOND, OWN, JOINING);
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
      databases: [
        { reason: expect.stringMatching(`the column ${old.names.response_time_ms} has the affinity REAL.*NUMERIC`) },
      ],
    });
  },
);

test.each(MERGED)("accepts a virtual table that uses no name of $table", async (old) => {
  const path = laidOut(old, LEVEL, SECOND, OWN, JOINING, "CREATE VIRTUAL TABLE mine USING fts5(level)");
  expect(await planMigration(path)).toMatchObject({ exit_code: 0 });
});

test.each(MERGED)("ignores the case of column names of $table", async (old) => {
  const user = old.names.user_id as string;
  const path = laidOut(
    old,
    LEVEL,
    old.create
      .replace("id INTEGER PRIMARY KEY", "ID INTEGER PRIMARY KEY")
      .replace(`${user} TEXT`, `${user.toUpperCase()} TEXT`),
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
