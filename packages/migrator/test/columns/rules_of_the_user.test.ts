import { join } from "node:path";
import { MetricsCollector, PatternPersistence } from "@perdura/v16";
import { expect, test } from "vitest";
import { DOCUMENTED_15, FIELD_PATTERNS, makeDatabase, query } from "../../../../test/legacy/legacy_database.ts";
import { downgradeMigration, planMigration } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { freshFolder } from "../support/folder.ts";
import { runPrintedStatements } from "../support/printed_statements.ts";
import { wholeContent } from "../support/whole_content.ts";

function laidOut(...statements: string[]): string {
  const path = join(freshFolder(), "m.db");
  makeDatabase(path, "PRAGMA foreign_keys = OFF", ...statements);
  return path;
}

const ROW = "INSERT INTO interactions (user_id, empathy_level, success, response_time_ms) VALUES ('u', 3, 1, 12.5)";
const PATTERN = "INSERT INTO patterns (id, agent_id, pattern_type, name) VALUES ('p', 'a', 't', 'n')";
const withCheck = (column: string, rule: string): string =>
  DOCUMENTED_15.replace(new RegExp(String.raw`\b${column} (\w+)`), `${column} $1 ${rule}`);
const PROMISE = "one row of each kind was tried, but version 16 can only write values that your own rules accept: ";

test.each([
  [
    "a CHECK",
    [withCheck("response_time_ms", "CHECK (/* ms */ response_time_ms\n < 10000)"), ROW],
    "CHECK ( response_time_ms < 10000) on interactions",
  ],
  [
    "a trigger that raises an error",
    [
      DOCUMENTED_15,
      ROW,
      "CREATE TRIGGER known BEFORE INSERT ON interactions WHEN NEW.user_id NOT IN (SELECT user_id FROM interactions) BEGIN SELECT RAISE(ABORT, 'who?'); END",
    ],
    "the trigger known on interactions",
  ],
  [
    "a reference",
    [
      "CREATE TABLE people (id TEXT PRIMARY KEY)",
      "INSERT INTO people VALUES ('u')",
      withCheck("user_id", "REFERENCES people(id)"),
      ROW,
    ],
    "interactions.user_id REFERENCES people",
  ],
  [
    "a CHECK of the patterns",
    [
      FIELD_PATTERNS.replace("confidence REAL", "confidence REAL CHECK (confidence BETWEEN 0 AND 0.95)"),
      "INSERT INTO patterns (id, agent_id, pattern_type, name, confidence) VALUES ('p', 'a', 't', 'n', 0.5)",
    ],
    "CHECK (confidence BETWEEN 0 AND 0.95) on patterns",
  ],
])("%s that depends on a value is named", async (_what, statements, rule) => {
  const [report] = (await planMigration(laidOut(...statements))).databases;
  expect(report?.notes).toContain(`${PROMISE}${rule}`);
});

test.each([
  ["of the levels", "empathy_level", "CHECK (empathy_level BETWEEN 1 AND 5)"],
  ["of a column that version 16 does not write", "response_time_ms", ", team TEXT CHECK (length(team) < 9)"],
])("a CHECK %s needs no note", async (_what, column, rule) => {
  const [report] = (await planMigration(laidOut(withCheck(column, rule), ROW))).databases;
  expect(report?.reason ?? null).toBe(null);
  expect(report?.notes.join()).not.toContain(PROMISE);
});

const usage = (reference: string, after = ""): string =>
  `CREATE TABLE pattern_usage (id INTEGER PRIMARY KEY, pattern_id TEXT NOT NULL, agent_id TEXT NOT NULL, success BOOLEAN NOT NULL, used_at TIMESTAMP, team TEXT DEFAULT 'core', ${reference})${after}`;
const USED = "INSERT INTO pattern_usage (id, pattern_id, agent_id, success) VALUES (7, 'p', 'a', 1)";

test.each([
  ["refers to columns without a key", usage("FOREIGN KEY (pattern_id) REFERENCES patterns(name)")],
  ["has no row ids", usage("FOREIGN KEY (pattern_id) REFERENCES patterns(id)", " WITHOUT ROWID")],
])("a table of usage that %s is refused with the statements to run", async (_what, create) => {
  const path = laidOut(FIELD_PATTERNS, "DROP TABLE pattern_usage", PATTERN, create, USED);
  const [report] = (await migrate(path)).databases;
  expect(report?.status).toBe("refused");
  makeDatabase(path, /PRAGMA foreign_keys = OFF; .*COMMIT;/s.exec(report?.reason ?? "")?.[0] ?? "");
  expect(await migrate(path)).toMatchObject({ exit_code: 0 });
  const library = PatternPersistence.loadFromSqlite(path);
  library.recordUsage("p", "a", false);
  PatternPersistence.saveToSqlite(library, path);
  expect(query(path, "SELECT id, pattern_id, success, team FROM pattern_usage ORDER BY id")).toEqual([
    [7n, "p", 1n, "core"],
    [8n, "p", 0n, "core"],
  ]);
});

test("a reference of the interactions to columns without a key is refused, and the way out works", async () => {
  const path = laidOut(
    "CREATE TABLE people (name TEXT)",
    "INSERT INTO people VALUES ('u')",
    withCheck("user_id", "REFERENCES people(name)"),
    ROW,
  );
  const [report] = (await migrate(path)).databases;
  expect(report).toMatchObject({ status: "refused" });
  expect(report?.reason).toContain("CREATE UNIQUE INDEX");
  makeDatabase(path, "CREATE UNIQUE INDEX people_name ON people(name)");
  expect(await migrate(path)).toMatchObject({ exit_code: 0 });
  const collector = new MetricsCollector(path);
  collector.recordInteraction("u", 2, true, 5);
  expect(collector.getUserStats("u")).toMatchObject({ total_operations: 2 });
  collector.close();
});

test("rebuilt patterns keep their order, the columns and objects of the user, and the time of the last change", async () => {
  const path = laidOut(
    FIELD_PATTERNS.replace("id TEXT PRIMARY KEY", "id TEXT PRIMARY KEY COLLATE NOCASE").replace(
      "name TEXT",
      "team TEXT DEFAULT 'core', name TEXT",
    ),
    ...["10", "2", "A"].map(
      (id) => `INSERT INTO patterns (id, agent_id, pattern_type, name, team) VALUES ('${id}', 'a', 't', 'n', 'own')`,
    ),
    "UPDATE patterns SET updated_at = '2025-01-15 10:30:00'",
    "CREATE VIEW teams AS SELECT team FROM patterns",
    "CREATE INDEX by_team ON patterns(team)",
    "CREATE TRIGGER deleted AFTER DELETE ON patterns BEGIN DELETE FROM pattern_usage WHERE pattern_id = old.id; END",
  );
  const OWN = "SELECT type, name, sql FROM sqlite_schema WHERE type <> 'table' AND sql IS NOT NULL ORDER BY name";
  const objects = query(path, OWN);
  const [report] = (await migrate(path)).databases;
  expect(report?.reason).toContain("NOCASE");
  makeDatabase(path, /PRAGMA foreign_keys = OFF; .*COMMIT;/s.exec(report?.reason ?? "")?.[0] ?? "");
  expect(query(path, OWN)).toEqual(objects);
  expect((await migrate(path)).exit_code).toBe(0);
  expect(query(path, "SELECT id, team, updated_at FROM patterns ORDER BY rowid")).toEqual(
    ["10", "2", "A"].map((id) => [id, "own", "2025-01-15 10:30:00"]),
  );
});

test("a view with the name of the table of usage has to be renamed first", async () => {
  const path = laidOut(
    FIELD_PATTERNS,
    PATTERN,
    "DROP TABLE pattern_usage",
    "CREATE VIEW pattern_usage AS SELECT 1 AS id",
  );
  const [report] = (await planMigration(path)).databases;
  expect(report).toMatchObject({ status: "refused" });
  expect(report?.reason).toContain("there is a view of that name. Rename it first.");
});

test.each([
  [
    "interactions that take the place of others",
    [DOCUMENTED_15.replace("user_id TEXT NOT NULL", "user_id TEXT NOT NULL UNIQUE ON CONFLICT REPLACE"), ROW],
    "DROP TABLE interactions; " + DOCUMENTED_15,
  ],
  [
    "interactions of one level that exclude each other",
    [DOCUMENTED_15, ROW, "CREATE UNIQUE INDEX once ON interactions(user_id) WHERE empathy_level = 5 AND NOT success"],
    "DROP INDEX once",
  ],
  [
    "patterns that take the place of others",
    [
      FIELD_PATTERNS,
      PATTERN,
      "CREATE TABLE own (a)",
      "DROP TABLE patterns",
      FIELD_PATTERNS.replace("name TEXT NOT NULL", "name TEXT NOT NULL UNIQUE ON CONFLICT REPLACE"),
      PATTERN,
    ],
    "DROP TABLE patterns; " + FIELD_PATTERNS,
  ],
])("%s are refused", async (_what, statements, correction) => {
  const path = laidOut(...statements);
  expect((await planMigration(path)).databases).toMatchObject([
    { status: "refused", reason: expect.stringContaining("Drop the unique index or constraint first.") },
  ]);
  makeDatabase(path, correction);
  expect(await migrate(path)).toMatchObject({ exit_code: 0, databases: [{ status: "migrated" }] });
});

const ofColumn = (rule: string): string => DOCUMENTED_15.replace("success BOOLEAN", `${rule}, success BOOLEAN`);

test.each([
  [
    "a UNIQUE of the interactions",
    [DOCUMENTED_15.replace("user_id TEXT NOT NULL", "user_id TEXT NOT NULL UNIQUE ON CONFLICT IGNORE"), ROW],
    "a constraint of the table interactions with ON CONFLICT IGNORE ignored the row. Nothing was changed. Create the table again",
    "DROP TABLE interactions; " + DOCUMENTED_15,
  ],
  [
    "a NOT NULL of the interactions",
    [ofColumn("team TEXT NOT NULL ON /* team */ CONFLICT IGNORE")],
    "a constraint of the table interactions with ON CONFLICT IGNORE ignored the row",
    "DROP TABLE interactions; " + DOCUMENTED_15,
  ],
  [
    "a trigger on the metadata",
    [
      DOCUMENTED_15,
      "CREATE TABLE interaction_metadata (interaction_id INTEGER PRIMARY KEY, metadata TEXT NOT NULL)",
      "CREATE TRIGGER ignoring BEFORE INSERT ON interaction_metadata BEGIN SELECT RAISE(IGNORE); END",
    ],
    "a trigger on the table interaction_metadata ignored the row. Nothing was changed. Drop the trigger",
    "DROP TRIGGER ignoring",
  ],
  [
    "a UNIQUE of the patterns",
    [FIELD_PATTERNS.replace("name TEXT NOT NULL", "name TEXT NOT NULL UNIQUE ON CONFLICT IGNORE"), PATTERN],
    "a constraint of the table patterns with ON CONFLICT IGNORE ignored the row",
    "DROP TABLE patterns; " + FIELD_PATTERNS,
  ],
  [
    "a NOT NULL of the usage",
    [FIELD_PATTERNS.replace("used_at TIMESTAMP", "team TEXT NOT NULL ON CONFLICT IGNORE, used_at TIMESTAMP"), PATTERN],
    "could not save a pattern that was used: a constraint of the table pattern_usage with ON CONFLICT IGNORE ignored the row",
    "ALTER TABLE pattern_usage DROP COLUMN team",
  ],
  [
    "a trigger on the usage",
    [FIELD_PATTERNS, PATTERN, "CREATE TRIGGER ignoring BEFORE INSERT ON pattern_usage BEGIN SELECT RAISE(IGNORE); END"],
    "could not save a pattern that was used: a trigger on the table pattern_usage ignored the row",
    "DROP TRIGGER ignoring",
  ],
  [
    "a trigger of a table with a UNIQUE",
    [
      DOCUMENTED_15.replace("user_id TEXT NOT NULL", "user_id TEXT NOT NULL UNIQUE ON CONFLICT ABORT"),
      "CREATE TRIGGER ignoring BEFORE INSERT ON interactions BEGIN SELECT RAISE(IGNORE); END",
    ],
    "the trigger ignoring on interactions prevents it (a trigger on the table interactions ignored the row)",
    "DROP TABLE interactions; " + DOCUMENTED_15,
  ],
])("%s that ignores rows is named as the cause", async (_what, statements, reason, correction) => {
  const path = laidOut(...statements);
  const [report] = (await planMigration(path)).databases;
  expect(report?.reason).toContain(reason);
  makeDatabase(path, correction);
  expect(await migrate(path)).toMatchObject({ exit_code: 0, databases: [{ status: "migrated" }] });
});

test("a reference of the levels to a table of the user is named", async () => {
  const path = laidOut(
    "CREATE TABLE levels (n INTEGER PRIMARY KEY)",
    "INSERT INTO levels VALUES (3)",
    withCheck("empathy_level", "REFERENCES levels(n)"),
    ROW,
  );
  const [report] = (await planMigration(path)).databases;
  expect(report?.notes).toContain(`${PROMISE}interactions.level REFERENCES levels`);
});

test("a column rowid of the patterns has to be renamed first", async () => {
  const path = laidOut(
    FIELD_PATTERNS.replace("name TEXT NOT NULL", "name TEXT NOT NULL, rowid TEXT"),
    PATTERN,
    "INSERT INTO patterns (id, agent_id, pattern_type, name, context) VALUES ('bad', 'a', 't', 'n', 'x')",
  );
  const [report] = (await planMigration(path, { invalidRows: "quarantine" })).databases;
  expect(report).toMatchObject({ status: "refused", reason: expect.stringContaining("has a column rowid") });
  expect(runPrintedStatements(path, report?.reason)).toBe(true);
  const before = wholeContent(path);
  expect(await migrate(path, { invalidRows: "quarantine" })).toMatchObject({ exit_code: 0 });
  expect(await downgradeMigration(path)).toMatchObject({ exit_code: 0 });
  expect(wholeContent(path)).toEqual(before);
});

test("a rebuilt table keeps the views of the user", async () => {
  const path = laidOut(
    DOCUMENTED_15.replace("AUTOINCREMENT", "DESC"),
    "INSERT INTO interactions (id, user_id, empathy_level, success) VALUES (1, 'u', 3, 1)",
    "CREATE VIEW users AS SELECT user_id FROM interactions",
  );
  const [report] = (await planMigration(path)).databases;
  expect(runPrintedStatements(path, report?.reason)).toBe(true);
  expect(await migrate(path)).toMatchObject({ exit_code: 0, databases: [{ status: "migrated" }] });
  expect(query(path, "SELECT * FROM users")).toEqual([["u"]]);
});
