import { join } from "node:path";
import { MetricsCollector, PatternPersistence } from "@perdura/v16";
import { expect, test } from "vitest";
import {
  DOCUMENTED_15,
  FIELD_A,
  FIELD_PATTERNS,
  makeDatabase,
  query,
} from "../../../../test/legacy/legacy_database.ts";
import { downgradeMigration, planMigration, verifyMigration } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { freshFolder } from "../support/folder.ts";
import { runPrintedStatements } from "../support/printed_statements.ts";
import { forgetCollation } from "../support/unknown_collation.ts";
import { wholeContent } from "../support/whole_content.ts";

const METRICS = `${DOCUMENTED_15} ${FIELD_PATTERNS}`;
const collated = (schema: string, column: string, rule = "COLLATE NOCASE"): string =>
  schema.replace(new RegExp(String.raw`\b${column}\b[A-Z ]*`), `$& ${rule}`);

/** Rows, and objects of the user, that stay. The highest ids have no rows any more. */
const rowsOf = (metrics: string): string[] => [
  `INSERT INTO ${metrics} (user_id, empathy_level, success, response_time_ms) VALUES ('U', 4, 1, 1), ('u', 3, 1, 12.5), ('gone', 1, 0, 1)`,
  `DELETE FROM ${metrics} WHERE user_id = 'gone'`,
  "INSERT INTO patterns (id, agent_id, pattern_type, name) VALUES ('p', 'a', 't', 'n'), ('a', 'a', 't', 'N')",
  "INSERT INTO pattern_usage (pattern_id, agent_id, success) VALUES ('p', 'a', 1), ('a', 'a', 1)",
  "DELETE FROM pattern_usage WHERE pattern_id = 'a'",
  "CREATE TABLE log (id)",
  "CREATE INDEX by_name ON patterns(name)",
  "CREATE VIEW names AS SELECT name FROM patterns ORDER BY name",
  `CREATE VIEW users AS SELECT DISTINCT user_id FROM ${metrics}`,
  "CREATE TRIGGER saved AFTER INSERT ON patterns BEGIN INSERT INTO log VALUES (new.id); END",
  `CREATE TRIGGER recorded AFTER INSERT ON ${metrics} BEGIN INSERT INTO log VALUES (new.id); END`,
];

test.each([
  ["an index of metrics", [METRICS, "CREATE INDEX own ON interactions(user_id COLLATE NOCASE)"]],
  ["an expression of an index", [METRICS, "CREATE INDEX own ON interactions((user_id || 'x') COLLATE NOCASE)"]],
  [
    "the condition of an index",
    [METRICS, "CREATE INDEX own ON interactions(user_id) WHERE user_id = 'a' COLLATE NOCASE"],
  ],
  ["an indexed column of metrics", [collated(METRICS, "user_id")]],
  ["an indexed column of field layout A", [collated(FIELD_A, "user_id"), FIELD_PATTERNS]],
  ["a unique column of the user", [collated(METRICS, "user_id", ", own TEXT COLLATE NOCASE UNIQUE")]],
  ["a CHECK", [collated(METRICS, "user_id", "CHECK (user_id <> 'x' COLLATE NOCASE)")]],
  ["an index of patterns", [METRICS, "CREATE INDEX own ON patterns(name COLLATE NOCASE)"]],
  ["the key of patterns", [DOCUMENTED_15, FIELD_PATTERNS.replace("id TEXT", "id TEXT COLLATE NOCASE")]],
  ["a column of patterns without an index", [collated(METRICS, "name")]],
  ["a column of patterns that gets an index", [METRICS.replace("agent_id TEXT", "agent_id TEXT COLLATE NOCASE")]],
  [
    "several tables",
    [
      collated(METRICS.replace("id TEXT", "id TEXT COLLATE NOCASE"), "user_id"),
      "CREATE INDEX own ON pattern_usage(agent_id COLLATE NOCASE)",
      "CREATE TABLE patterns_new (a)",
    ],
  ],
])("a collation that SQLite lacks here is refused with statements that remove it: %s", async (_what, schema) => {
  const path = join(freshFolder(), "m.db");
  makeDatabase(path, ...schema, ...rowsOf(schema[0]?.includes("metrics") === true ? "metrics" : "interactions"));
  forgetCollation(path);
  const stored = "SELECT * FROM patterns ORDER BY rowid";
  const [patterns, counters] = [query(path, stored), query(path, "SELECT * FROM sqlite_sequence ORDER BY name")];
  const [refused] = (await planMigration(path)).databases;
  expect(refused).toMatchObject({ status: "refused", reason: expect.stringContaining("of_application") });
  expect(runPrintedStatements(path, refused?.reason)).toBe(true);
  expect(query(path, stored)).toEqual(patterns);
  expect(query(path, "SELECT * FROM sqlite_sequence ORDER BY name")).toEqual(counters);
  const before = wholeContent(path);
  expect(await planMigration(path)).toMatchObject({ exit_code: 0, databases: [{ status: "planned", reason: null }] });
  expect(await migrate(path)).toMatchObject({ exit_code: 0, databases: [{ status: "migrated" }] });
  expect(await verifyMigration(path)).toMatchObject({ exit_code: 0 });
  expect(query(path, "SELECT * FROM names UNION ALL SELECT * FROM users")).toHaveLength(4);
  expect(await downgradeMigration(path)).toMatchObject({ exit_code: 0, databases: [{ status: "downgraded" }] });
  expect(wholeContent(path)).toEqual(before);
  await migrate(path);
  const collector = new MetricsCollector(path);
  collector.recordMetric("u", true, 1);
  collector.close();
  const library = PatternPersistence.loadFromSqlite(path);
  library.contribute("a", { id: "A", pattern_type: "t", name: "n" });
  library.recordUsage("A", "a", true);
  PatternPersistence.saveToSqlite(library, path);
  expect(query(path, "SELECT id FROM log ORDER BY rowid")).toEqual([[4n], ["A"]]);
});

test("only the application can read a table whose key without row ids has such a collation", async () => {
  const path = join(freshFolder(), "m.db");
  makeDatabase(
    path,
    FIELD_PATTERNS.replace("id TEXT", "id TEXT COLLATE NOCASE").replace(";", " WITHOUT ROWID;"),
    "INSERT INTO patterns (id, agent_id, pattern_type, name) VALUES ('p', 'a', 't', 'n')",
  );
  forgetCollation(path);
  const [refused] = (await planMigration(path)).databases;
  const [, statements = ""] = /in the application, because only it can read .* patterns: (.*)$/s.exec(
    refused?.reason ?? "",
  ) as RegExpExecArray;
  // Where the collation is known, the statements work.
  const known = join(freshFolder(), "m.db");
  makeDatabase(
    known,
    FIELD_PATTERNS.replace("id TEXT", "id TEXT COLLATE NOCASE").replace(";", " WITHOUT ROWID;"),
    "INSERT INTO patterns (id, agent_id, pattern_type, name) VALUES ('p', 'a', 't', 'n')",
    statements,
  );
  expect(await migrate(known)).toMatchObject({ exit_code: 0 });
  expect(query(known, "SELECT id FROM patterns")).toEqual([["p"]]);
});
