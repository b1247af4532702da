import { join } from "node:path";
import { MetricsCollector, PatternPersistence } from "@perdura/v16";
import { describe, expect, test } from "vitest";
import {
  DOCUMENTED_15,
  FIELD_A,
  FIELD_PATTERNS,
  makeDatabase,
  query,
} from "../../../../test/legacy/legacy_database.ts";
import { downgradeMigration, planMigration, verifyMigration } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { freshFolder, stampOf } from "../support/folder.ts";
import { schemaErrors } from "../support/report_schema.ts";
import { runProgram } from "../support/run_program.ts";
import { wholeContent } from "../support/whole_content.ts";

const REFERENCE = "FOREIGN KEY (pattern_id) REFERENCES patterns(id)";
const FILL =
  "INSERT INTO patterns (id, agent_id, pattern_type, name) VALUES ('p', 'a', 't', 'n'); INSERT INTO pattern_usage (pattern_id, agent_id, success) VALUES ('p', 'a', 1)";

/** A database of patterns whose usage refers to a table in another way. */
function database(reference: string, ...more: string[]): { folder: string; path: string } {
  const folder = freshFolder();
  const path = join(folder, "patterns.db");
  const tables = FIELD_PATTERNS.replace(REFERENCE, reference);
  expect(tables).not.toBe(FIELD_PATTERNS);
  makeDatabase(path, "PRAGMA foreign_keys = OFF", tables, ...more);
  makeDatabase(path, "PRAGMA foreign_keys = OFF", FILL);
  return { folder, path };
}

function saveWith16(path: string): void {
  const library = PatternPersistence.loadFromSqlite(path);
  library.recordUsage("p", "a", true);
  PatternPersistence.saveToSqlite(library, path);
}

const definition = (path: string): unknown[] =>
  query(path, "SELECT sql FROM sqlite_schema WHERE name = 'pattern_usage'");

describe.each([
  ['FOREIGN KEY (pattern_id) REFERENCES "patterns_old"(id)'],
  ["FOREIGN KEY (pattern_id) REFERENCES [patterns_old](id) ON DELETE CASCADE"],
  ["FOREIGN KEY (pattern_id) REFERENCES `patterns_old`"],
  ["FOREIGN KEY(pattern_id)REFERENCES patterns_old(id) /* patterns_old */"],
])("%s", (reference) => {
  test("is named by plan, repaired on request, and restored by the downgrade", async () => {
    const { folder, path } = database(reference, "CREATE VIEW mine AS SELECT 'patterns_old' AS name");
    const [before, stamp, former] = [wholeContent(path), stampOf(folder), definition(path)];
    for (const report of [await planMigration(path), await migrate(path)]) {
      expect(schemaErrors(report)).toEqual([]);
      expect(report).toMatchObject({
        exit_code: 3,
        databases: [
          {
            status: "refused",
            decisions: ["broken-references"],
            reason: expect.stringContaining(
              "The column pattern_id of the table pattern_usage refers to a table patterns_old, which does not exist",
            ) as string,
          },
        ],
      });
    }
    expect(stampOf(folder)).toBe(stamp);
    expect(await migrate(path, { brokenReferences: "repair" })).toMatchObject({
      exit_code: 0,
      databases: [{ status: "migrated" }],
    });
    expect(await migrate(path)).toMatchObject({ databases: [{ status: "nothing_to_do" }] });
    expect(await verifyMigration(path)).toMatchObject({ exit_code: 0 });
    expect(await downgradeMigration(path)).toMatchObject({ exit_code: 0 });
    expect(wholeContent(path)).toEqual(before);
    await migrate(path, { brokenReferences: "repair" });
    saveWith16(path);
    expect(query(path, "SELECT count(*) FROM pattern_usage")).toEqual([[2n]]);
    expect(await verifyMigration(path)).toMatchObject({ exit_code: 0 });
    expect(await downgradeMigration(path)).toMatchObject({ exit_code: 0 });
    expect(definition(path)).toEqual(former);
  });
});

test("the recommended command works as it is printed, together with other decisions", async () => {
  const { folder, path } = database(
    'FOREIGN KEY (pattern_id) REFERENCES "patterns_old"(id)',
    FIELD_A,
    "INSERT INTO metrics (user_id, empathy_level, success) VALUES ('u', 9, 1), ('u', 3, 1)",
  );
  const { stdout } = await runProgram("plan", folder);
  const command = /perdura-migrate (up .*--broken-references repair.*)/.exec(stdout)?.[1] ?? "";
  expect(command).toContain("--invalid-rows quarantine");
  expect(await runProgram(...command.split(" "), "--yes")).toMatchObject({ code: 0 });
  saveWith16(path);
  using collector = new MetricsCollector(path);
  collector.recordMetric("u", true, 1, { key: 1 });
  expect(collector.getUserStats("u").total_operations).toBe(2);
});

test("the former definition comes back also after a second migration", async () => {
  const { path } = database('FOREIGN KEY (pattern_id) REFERENCES "patterns_old"(id)');
  const former = definition(path);
  expect(await migrate(path, { brokenReferences: "repair" })).toMatchObject({ exit_code: 0 });
  makeDatabase(path, FIELD_A, "INSERT INTO metrics (user_id, empathy_level, success) VALUES ('u', 3, 1)");
  expect(await migrate(path)).toMatchObject({ exit_code: 0, databases: [{ status: "migrated" }] });
  expect(await downgradeMigration(path)).toMatchObject({ exit_code: 0 });
  expect(definition(path)).toEqual(former);
  expect(query(path, "SELECT empathy_level FROM metrics")).toEqual([[3n]]);
});

test("the side table of the metadata is repaired too", async () => {
  const path = join(freshFolder(), "metrics.db");
  makeDatabase(
    path,
    "PRAGMA foreign_keys = OFF",
    DOCUMENTED_15,
    'CREATE TABLE interaction_metadata (interaction_id INTEGER PRIMARY KEY REFERENCES "interactions_old"(id) ON DELETE CASCADE, metadata TEXT NOT NULL)',
    "INSERT INTO interactions (user_id, empathy_level, success) VALUES ('u', 3, 1); INSERT INTO interaction_metadata VALUES (1, '{}')",
  );
  const before = wholeContent(path);
  expect(await planMigration(path)).toMatchObject({ exit_code: 3 });
  expect(await migrate(path, { brokenReferences: "repair" })).toMatchObject({ exit_code: 0 });
  {
    using collector = new MetricsCollector(path);
    collector.recordMetric("u", true, 1, { key: 1 });
  }
  expect(await verifyMigration(path)).toMatchObject({ exit_code: 0 });
  makeDatabase(
    path,
    "DELETE FROM interactions WHERE id > 1; DELETE FROM sqlite_sequence; INSERT INTO sqlite_sequence VALUES ('interactions', 1)",
  );
  expect(await downgradeMigration(path)).toMatchObject({ exit_code: 0 });
  expect(wholeContent(path)).toEqual(before);
});

test.each([
  ["another column", "FOREIGN KEY (agent_id) REFERENCES agents(id)"],
  ["another column of the patterns", 'FOREIGN KEY (pattern_id) REFERENCES "patterns_old"(name)'],
])("a broken reference of %s is refused with statements that correct it", async (_what, reference) => {
  const { path } = database(reference);
  const [found] = (await planMigration(path)).databases;
  expect(found).toMatchObject({ status: "refused", decisions: [] });
  const statements = /: (CREATE TABLE .*;) Then run/.exec(found?.reason ?? "")?.[1] ?? "no statement";
  makeDatabase(path, statements);
  expect(await migrate(path)).toMatchObject({ exit_code: 0 });
});

test("a broken reference of the user's own table is only noted", async () => {
  const path = join(freshFolder(), "metrics.db");
  makeDatabase(path, FIELD_A, "CREATE TABLE mine (id REFERENCES gone(id))");
  const report = await migrate(path);
  expect(report).toMatchObject({ exit_code: 0 });
  expect(report.databases[0]?.notes.join()).toContain(
    "your table mine (id) refers to a table gone, which does not exist",
  );
});

test("a broken reference of the metadata column, which is dropped, does not prevent the migration", async () => {
  const path = join(freshFolder(), "metrics.db");
  makeDatabase(path, FIELD_A.replace("metadata TEXT", "metadata TEXT REFERENCES gone(x)"));
  const before = wholeContent(path);
  expect(await migrate(path)).toMatchObject({ exit_code: 0 });
  expect(await downgradeMigration(path)).toMatchObject({ exit_code: 0 });
  expect(wholeContent(path)).toEqual(before);
});
