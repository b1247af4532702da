import { join } from "node:path";
import { expect, test } from "vitest";
import { downgradeMigration } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { freshFolder } from "../support/folder.ts";
import {
  addRows,
  connect,
  DOCUMENTED_15,
  FIELD_A,
  makeDatabase,
  query,
} from "../../../../test/legacy/legacy_database.ts";
import { wholeContent } from "../support/whole_content.ts";

async function migrated(layout: string, table: "interactions" | "metrics", ...more: string[]): Promise<string> {
  const path = join(freshFolder(), "m.db");
  makeDatabase(path, layout, ...more);
  addRows(path, table, 12);
  expect(await migrate(path)).toMatchObject({ exit_code: 0 });
  return path;
}

function execute(path: string, sql: string): void {
  const database = connect(path);
  database.exec(sql);
  database.close();
}

const objects = (path: string): unknown[] =>
  query(path, "SELECT name, sql FROM sqlite_schema WHERE name LIKE 'my!_%' ESCAPE '!' ORDER BY name");

test.each([
  ["field layout", FIELD_A, "metrics"],
  ["documented layout", DOCUMENTED_15, "interactions"],
] as const)("%s: objects created since use the old names afterwards", async (_title, layout, table) => {
  const path = await migrated(layout, table);
  execute(
    path,
    `CREATE TABLE my_notes (of REFERENCES interactions(id)); INSERT INTO my_notes VALUES (3); CREATE TABLE my_log (id, level);
    CREATE INDEX my_index ON interactions(level DESC) WHERE success;
    CREATE VIEW my_view AS SELECT user_id, level FROM interactions WHERE level > 2;
    CREATE TRIGGER my_trigger AFTER DELETE ON interactions BEGIN INSERT INTO my_log VALUES (OLD.id, OLD.level); END;`,
  );
  const before = query(path, "SELECT * FROM my_view ORDER BY 1, 2");
  const report = await downgradeMigration(path);
  expect(report).toMatchObject({ exit_code: 0 });
  expect(report.databases[0]?.notes).toEqual(
    expect.arrayContaining([
      "the table my_notes was created since the migration and is kept",
      "the index my_index was created since the migration and is kept",
      "the view my_view was created since the migration and is kept",
      "the trigger my_trigger was created since the migration and is kept",
    ]),
  );
  expect(query(path, "SELECT * FROM my_view ORDER BY 1, 2")).toEqual(before);
  expect(query(path, "SELECT \"table\" FROM pragma_foreign_key_list('my_notes')")).toEqual([[table]]);
  execute(path, `DELETE FROM ${table} WHERE id = 4`);
  expect(query(path, "SELECT * FROM my_log")).toEqual([[4n, 5n]]);
});

const OWN = (table: string): string => `
  CREATE VIEW my_view AS SELECT [Empathy_Level] FROM ${table};
  CREATE INDEX my_index ON ${table}(success, EMPATHY_LEVEL);
  CREATE TABLE my_notes (of REFERENCES ${table}(id) /* ${table} */);`;

test("does not undo changes of the user", async () => {
  const path = await migrated(FIELD_A, "metrics", OWN("metrics"));
  execute(
    path,
    "DROP VIEW my_view; CREATE VIEW my_view AS SELECT 1 AS one; DROP INDEX my_index; ALTER TABLE my_notes ADD COLUMN more",
  );
  const report = await downgradeMigration(path);
  expect(report.databases[0]?.notes).toEqual(
    expect.arrayContaining([
      "the view my_view was changed since the migration and is not restored",
      "the index my_index was dropped since the migration and is not created again",
      "the table my_notes was changed since the migration and is not restored",
    ]),
  );
  expect(objects(path)).toEqual([
    ["my_notes", 'CREATE TABLE my_notes (of REFERENCES "metrics"(id) /* metrics */, more)'],
    ["my_view", "CREATE VIEW my_view AS SELECT 1 AS one"],
  ]);
});

test.each([
  ["field layout", FIELD_A, "metrics"],
  ["documented layout", DOCUMENTED_15, "interactions"],
] as const)("%s: restores the text of unchanged objects verbatim", async (_title, layout, table) => {
  const path = join(freshFolder(), "m.db");
  makeDatabase(path, layout, OWN(table));
  addRows(path, table, 12);
  const before = wholeContent(path);
  await migrate(path);
  await downgradeMigration(path);
  expect(wholeContent(path)).toEqual(before);
});

test("keeps an index of the migration that the user created differently", async () => {
  const path = await migrated(FIELD_A, "metrics");
  execute(path, "DROP INDEX idx_interactions_user; CREATE INDEX idx_interactions_user ON interactions(user_id, id)");
  await downgradeMigration(path);
  expect(query(path, "SELECT name FROM sqlite_schema WHERE type = 'index' ORDER BY name")).toEqual([
    ["idx_interactions_user"],
    ["idx_timestamp"],
    ["idx_user_level"],
  ]);
});

test("keeps patterns written since; only the indexes and user_version are removed", async () => {
  const path = join(freshFolder(), "p.db");
  makeDatabase(
    path,
    `CREATE TABLE patterns (id TEXT PRIMARY KEY, agent_id TEXT, pattern_type TEXT, name TEXT, description TEXT, context TEXT, code TEXT, confidence REAL, usage_count INTEGER, success_count INTEGER, failure_count INTEGER, tags TEXT, discovered_at TEXT, last_used TEXT);
    CREATE TABLE pattern_usage (id INTEGER PRIMARY KEY, pattern_id TEXT, agent_id TEXT, success BOOLEAN, used_at TEXT);`,
  );
  const before = wholeContent(path);
  await migrate(path);
  execute(path, "INSERT INTO patterns (id, agent_id, name) VALUES ('p', 'a', 'n')");
  expect(await downgradeMigration(path)).toMatchObject({
    exit_code: 0,
    databases: [
      {
        status: "downgraded",
        verification: {
          rows_before: null,
          other_tables: expect.arrayContaining([
            { table: "patterns", rows: 1, quarantined: 0, repaired: 0, changed_since: 0 },
          ]),
        },
      },
    ],
  });
  const after = wholeContent(path);
  expect({ ...after.objects }).toEqual({ ...before.objects });
  expect(after.user_version).toBe(0);
});
