import { join } from "node:path";
import { MetricsCollector } from "@perdura/v16";
import { expect, test } from "vitest";
import { DOCUMENTED_15, FIELD_PATTERNS, makeDatabase } from "../../../../test/legacy/legacy_database.ts";
import { planMigration } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { ALL_TABLES, hasLevels, layoutSuite, rotated, useLayout } from "../layouts/layout_suite.ts";
import { fill, type OldTable, optionsFor, redeclared, spelled, type Written } from "../layouts/old_table.ts";
import { freshFolder, stampOf } from "../support/folder.ts";

/** Other declarations of columns in a table of a layout, and statements, in the names of field layout A. */
type Declared = Partial<Record<Written, string>>;

function laidOut(...statements: string[]): { folder: string; path: string } {
  const folder = freshFolder();
  const path = join(folder, "metrics.db");
  makeDatabase(path, ...statements);
  return { folder, path };
}

const inLayout = (old: OldTable, types: Declared, statements: readonly string[]): ReturnType<typeof laidOut> =>
  laidOut(redeclared(old, types).create, ...statements.map((sql) => spelled(old, sql)));

const TENANT: Declared = { user_id: "TEXT NOT NULL, tenant TEXT NOT NULL" };

const REFUSED: [what: string, types: Declared, statements: string[], words: string][] = [
  [
    "a further column that must not be NULL",
    TENANT,
    [],
    "record a metric: NOT NULL constraint failed: interactions.tenant",
  ],
  ["the same in another layout", TENANT, [], "NOT NULL constraint failed: interactions.tenant"],
  [
    "a unique index over user and time",
    {},
    ["CREATE UNIQUE INDEX once ON metrics(user_id, timestamp)"],
    "UNIQUE constraint failed: interactions.user_id, interactions.timestamp",
  ],
  [
    "a trigger that raises an error",
    {},
    ["CREATE TRIGGER frozen BEFORE INSERT ON metrics BEGIN SELECT RAISE(ABORT, 'the table is frozen'); END"],
    "the trigger frozen on interactions prevents it (the table is frozen)",
  ],
  [
    "a trigger that rolls all back",
    {},
    ["CREATE TRIGGER frozen BEFORE INSERT ON metrics BEGIN SELECT RAISE(ROLLBACK, 'frozen'); END"],
    "the trigger frozen on interactions prevents it (frozen)",
  ],
  [
    "a trigger with a function of another program",
    {},
    ["CREATE TRIGGER counting AFTER INSERT ON metrics BEGIN SELECT of_program(new.id); END"],
    "record a metric: the trigger counting on interactions cannot run (no such function: of_program)",
  ],
  [
    "a unique index over what was recorded",
    {},
    ["CREATE UNIQUE INDEX once ON metrics(user_id, success, response_time_ms)"],
    "record two interactions of a user in one second: UNIQUE constraint failed",
  ],
  [
    "a trigger that ignores rows",
    {},
    ["CREATE TRIGGER ignoring BEFORE INSERT ON metrics BEGIN SELECT RAISE(IGNORE); END"],
    "the trigger ignoring on interactions prevents it",
  ],
];

async function expectRefused(
  { folder, path }: ReturnType<typeof laidOut>,
  options: Parameters<typeof migrate>[1],
  words: string,
): Promise<void> {
  const before = stampOf(folder);
  for (const report of [await planMigration(path, options), await migrate(path, options)])
    expect(report).toMatchObject({
      exit_code: 3,
      databases: [{ status: "refused", reason: expect.stringContaining(words) as string }],
    });
  expect(stampOf(folder)).toBe(before);
}

test.each(rotated(REFUSED))(
  "plan refuses %s, because 16 could not go on writing",
  async (_what, types, statements, words, old) => {
    useLayout(old);
    await expectRefused(inLayout(old, types, statements), optionsFor(old), words);
  },
);

test.each(ALL_TABLES.filter(hasLevels))("plan refuses a CHECK of the level in $table", async (old) => {
  useLayout(old);
  const made = inLayout(old, { level: "INTEGER NOT NULL CHECK (empathy_level < 4)" }, []);
  await expectRefused(made, {}, "record an interaction at level 4");
});

const DOCUMENTED_16 = DOCUMENTED_15.replaceAll("empathy_level", "level");

test.each<[what: string, statements: string[], words: string]>([
  [
    "a further column that must not be NULL, in a database of 16",
    [DOCUMENTED_16.replace("level INTEGER NOT NULL", "level INTEGER NOT NULL, tenant TEXT NOT NULL")],
    "NOT NULL constraint failed: interactions.tenant",
  ],
  [
    "a trigger with a function of another program behind a trigger, in a database of 16",
    [
      DOCUMENTED_16,
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
    "a further column of patterns that must not be NULL",
    [FIELD_PATTERNS.replace("tags TEXT", "tags TEXT, tenant TEXT NOT NULL")],
    "save patterns: NOT NULL constraint failed: patterns.tenant",
  ],
])("plan refuses %s, because 16 could not go on writing", async (_what, statements, words) => {
  await expectRefused(laidOut(...statements), {}, words);
});

const USERS = "CREATE TABLE users (id TEXT PRIMARY KEY); INSERT INTO users VALUES ('u')";

const ACCEPTED: [what: string, types: Declared, statements: string[]][] = [
  ["a further column with a default", { response_time_ms: "REAL, tenant TEXT NOT NULL DEFAULT 'none'" }, []],
  [
    "a CHECK that real users pass",
    { user_id: "TEXT NOT NULL CHECK (user_id GLOB 'u[0-9]*')" },
    ["INSERT INTO metrics (user_id, empathy_level, success) VALUES ('u1', 3, 1)"],
  ],
  ["a foreign key to a table of users", { user_id: "TEXT NOT NULL REFERENCES users(id)" }, [USERS]],
  [
    "a trigger that looks up the user",
    {},
    [
      USERS,
      "CREATE TRIGGER known BEFORE INSERT ON metrics WHEN NOT EXISTS (SELECT 1 FROM users WHERE id = new.user_id) BEGIN SELECT RAISE(ABORT, 'unknown user'); END",
    ],
  ],
];

test.each(rotated(ACCEPTED))("accepts %s", async (_what, types, statements, old) => {
  useLayout(old);
  const { path } = inLayout(old, types, statements);
  const report = await planMigration(path, optionsFor(old));
  expect(report).toMatchObject({ exit_code: 0, databases: [{ status: "planned" }] });
  expect((report.databases[0]?.notes ?? []).filter((text) => text.includes("may prevent"))).toEqual([]);
  expect(await migrate(path, optionsFor(old))).toMatchObject({ exit_code: 0 });
});

layoutSuite((old) => {
  test("records 100 interactions after every accepted migration", async () => {
    const { path } = laidOut(old.create);
    fill(path, old, 10);
    await migrate(path, optionsFor(old));
    using collector = new MetricsCollector(path, { durability: "normal" });
    for (let count = 0; count < 100; count += 1)
      collector.recordInteraction("u", (count % 5) + 1, count % 2 === 0, count);
    expect(collector.getUserStats("u")).toMatchObject({ total_operations: 100, level_1_count: 20, success_rate: 0.5 });
  });
});
