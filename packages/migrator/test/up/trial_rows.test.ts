import { join } from "node:path";
import { MetricsCollector } from "@perdura/v16";
import { expect, test } from "vitest";
import {
  addRows,
  DOCUMENTED_15,
  FIELD_A,
  FIELD_PATTERNS,
  makeDatabase,
} from "../../../../test/legacy/legacy_database.ts";
import { planMigration } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { freshFolder, stampOf } from "../support/folder.ts";

function database(...statements: string[]): { folder: string; path: string } {
  const folder = freshFolder();
  const path = join(folder, "metrics.db");
  makeDatabase(path, ...statements);
  return { folder, path };
}

const REFUSED: [what: string, statements: string[], words: string][] = [
  [
    "a further column that must not be NULL",
    [FIELD_A.replace("metadata TEXT", "metadata TEXT, tenant TEXT NOT NULL")],
    "record a metric: NOT NULL constraint failed: interactions.tenant",
  ],
  [
    "the same in the documented table",
    [DOCUMENTED_15.replace("empathy_level INTEGER NOT NULL", "empathy_level INTEGER NOT NULL, tenant TEXT NOT NULL")],
    "NOT NULL constraint failed: interactions.tenant",
  ],
  [
    "the same in a database of 16",
    [DOCUMENTED_15.replace("empathy_level INTEGER NOT NULL", "level INTEGER NOT NULL, tenant TEXT NOT NULL")],
    "NOT NULL constraint failed: interactions.tenant",
  ],
  [
    "a unique index over user and time",
    [FIELD_A, "CREATE UNIQUE INDEX once ON metrics(user_id, timestamp)"],
    "UNIQUE constraint failed: interactions.user_id, interactions.timestamp",
  ],
  [
    "a CHECK of the level",
    [FIELD_A.replace("empathy_level INTEGER NOT NULL", "empathy_level INTEGER NOT NULL CHECK (empathy_level < 4)")],
    "record an interaction at level 4",
  ],
  [
    "a trigger that raises an error",
    [FIELD_A, "CREATE TRIGGER frozen BEFORE INSERT ON metrics BEGIN SELECT RAISE(ABORT, 'the table is frozen'); END"],
    "the trigger frozen on interactions prevents it (the table is frozen)",
  ],
  [
    "a trigger that rolls all back",
    [FIELD_A, "CREATE TRIGGER frozen BEFORE INSERT ON metrics BEGIN SELECT RAISE(ROLLBACK, 'frozen'); END"],
    "the trigger frozen on interactions prevents it (frozen)",
  ],
  [
    "a trigger with a function of another program",
    [FIELD_A, "CREATE TRIGGER counting AFTER INSERT ON metrics BEGIN SELECT of_program(new.id); END"],
    "record a metric: the trigger counting on interactions cannot run (no such function: of_program)",
  ],
  [
    "such a trigger behind a trigger, in a database of 16",
    [
      DOCUMENTED_15.replace("empathy_level INTEGER NOT NULL", "level INTEGER NOT NULL"),
      "CREATE TABLE log (id)",
      "CREATE TRIGGER noted AFTER INSERT ON interactions BEGIN INSERT INTO log VALUES (new.id); END",
      "CREATE TRIGGER counting AFTER INSERT ON log BEGIN SELECT of_program(new.id); END",
    ],
    "record a metric: the trigger noted on interactions cannot run (no such function: of_program)",
  ],
  [
    "such a trigger on updates of patterns",
    [FIELD_PATTERNS, "CREATE TRIGGER counting AFTER UPDATE OF name ON patterns BEGIN SELECT of_program(new.name); END"],
    "save patterns: the trigger counting on patterns cannot run (no such function: of_program)",
  ],
  [
    "a unique index over what was recorded",
    [FIELD_A, "CREATE UNIQUE INDEX once ON metrics(user_id, success, response_time_ms)"],
    "record two interactions of a user in one second: UNIQUE constraint failed",
  ],
  [
    "a trigger that ignores rows",
    [FIELD_A, "CREATE TRIGGER ignoring BEFORE INSERT ON metrics BEGIN SELECT RAISE(IGNORE); END"],
    "the trigger ignoring on interactions prevents it",
  ],
  [
    "a further column of patterns that must not be NULL",
    [FIELD_PATTERNS.replace("tags TEXT", "tags TEXT, tenant TEXT NOT NULL")],
    "save patterns: NOT NULL constraint failed: patterns.tenant",
  ],
];

test.each(REFUSED)("plan refuses %s, because 16 could not go on writing", async (_what, statements, words) => {
  const { folder, path } = database(...statements);
  const before = stampOf(folder);
  for (const report of [await planMigration(path), await migrate(path)])
    expect(report).toMatchObject({
      exit_code: 3,
      databases: [{ status: "refused", reason: expect.stringContaining(words) as string }],
    });
  expect(stampOf(folder)).toBe(before);
});

const ACCEPTED: [what: string, statements: string[], note: string | null][] = [
  [
    "a further column with a default",
    [FIELD_A.replace("metadata TEXT", "metadata TEXT, tenant TEXT NOT NULL DEFAULT 'none'")],
    null,
  ],
  [
    "a CHECK that real users pass",
    [
      FIELD_A.replace("user_id TEXT NOT NULL", "user_id TEXT NOT NULL CHECK (user_id GLOB 'u[0-9]*')"),
      "INSERT INTO metrics (user_id, empathy_level, success) VALUES ('u1', 3, 1)",
    ],
    null,
  ],
  [
    "a foreign key to a table of users",
    [
      "CREATE TABLE users (id TEXT PRIMARY KEY); INSERT INTO users VALUES ('u')",
      FIELD_A.replace("user_id TEXT NOT NULL", "user_id TEXT NOT NULL REFERENCES users(id)"),
    ],
    null,
  ],
  [
    "a trigger that looks up the user",
    [
      "CREATE TABLE users (id TEXT PRIMARY KEY); INSERT INTO users VALUES ('u')",
      FIELD_A,
      "CREATE TRIGGER known BEFORE INSERT ON metrics WHEN NOT EXISTS (SELECT 1 FROM users WHERE id = new.user_id) BEGIN SELECT RAISE(ABORT, 'unknown user'); END",
    ],
    null,
  ],
];

test.each(ACCEPTED)("accepts %s", async (_what, statements, note) => {
  const { path } = database(...statements);
  const report = await planMigration(path);
  expect(report).toMatchObject({ exit_code: 0, databases: [{ status: "planned" }] });
  const found = (report.databases[0]?.notes ?? []).filter((text) => text.includes("may prevent"));
  expect(found).toEqual(note === null ? [] : [expect.stringContaining(note)]);
  expect(await migrate(path)).toMatchObject({ exit_code: 0 });
});

test("records 100 interactions after every accepted migration", async () => {
  const { path } = database(FIELD_A);
  addRows(path, "metrics", 10);
  await migrate(path);
  using collector = new MetricsCollector(path);
  for (let count = 0; count < 100; count += 1)
    collector.recordInteraction("u", (count % 5) + 1, count % 2 === 0, count);
  expect(collector.getUserStats("u")).toMatchObject({ total_operations: 100, level_1_count: 20, success_rate: 0.5 });
});
