import { join } from "node:path";
import { expect, test } from "vitest";
import { downgradeMigration } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { freshFolder } from "../support/folder.ts";
import { hasLevels, layoutSuite } from "../layouts/layout_suite.ts";
import { fill, type OldTable, optionsFor } from "../layouts/old_table.ts";
import { connect, makeDatabase, query } from "../../../../test/legacy/legacy_database.ts";
import { wholeContent } from "../support/whole_content.ts";

async function migrated(old: OldTable, ...more: string[]): Promise<string> {
  const path = join(freshFolder(), "m.db");
  makeDatabase(path, old.create, ...more);
  fill(path, old, 12);
  expect(await migrate(path, optionsFor(old))).toMatchObject({ exit_code: 0 });
  return path;
}

function execute(path: string, sql: string): void {
  const database = connect(path);
  database.exec(sql);
  database.close();
}

const objects = (path: string): unknown[] =>
  query(path, "SELECT name, sql FROM sqlite_schema WHERE name LIKE 'my!_%' ESCAPE '!' ORDER BY name");

/** Objects of a user, with the names of columns in capitals. */
const ownOf = ({ table, names }: OldTable): string => {
  const column = names.level ?? "success";
  return `
  CREATE VIEW my_view AS SELECT [${column.replaceAll(/\b[a-z]|_[a-z]/g, (letters) => letters.toUpperCase())}] FROM ${table};
  CREATE INDEX my_index ON ${table}(${names.success}, ${column.toUpperCase()});
  CREATE TABLE my_notes (of REFERENCES ${table}(id) /* ${table} */);`;
};

layoutSuite((old) => {
  const { table } = old;

  test("objects created since use the old names afterwards", async () => {
    const path = await migrated(old);
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
}, hasLevels);

layoutSuite((old) => {
  const { table } = old;

  test("does not undo changes of the user", async () => {
    const path = await migrated(old, ownOf(old));
    execute(
      path,
      "DROP VIEW my_view; CREATE VIEW my_view AS SELECT 1 AS one; DROP INDEX my_index; ALTER TABLE my_notes ADD COLUMN more",
    );
    const report = await downgradeMigration(path);
    const named = [
      "the view my_view was changed since the migration and is not restored",
      "the index my_index was dropped since the migration and is not created again",
      "the table my_notes was changed since the migration and is not restored",
    ];
    expect(report.databases[0]?.notes).toEqual(expect.arrayContaining(named));
    const reference = table === "interactions" ? table : `"${table}"`;
    expect(objects(path)).toEqual([
      ["my_notes", `CREATE TABLE my_notes (of REFERENCES ${reference}(id) /* ${table} */, more)`],
      ["my_view", "CREATE VIEW my_view AS SELECT 1 AS one"],
    ]);
  });

  test("restores the text of unchanged objects verbatim", async () => {
    const path = join(freshFolder(), "m.db");
    makeDatabase(path, old.create, ownOf(old));
    fill(path, old, 12);
    const before = wholeContent(path);
    await migrate(path, optionsFor(old));
    await downgradeMigration(path);
    expect(wholeContent(path)).toEqual(before);
  });

  test("keeps an index of the migration that the user created differently", async () => {
    const path = await migrated(old);
    execute(path, "DROP INDEX idx_interactions_user; CREATE INDEX idx_interactions_user ON interactions(user_id, id)");
    await downgradeMigration(path);
    const names = query<[string]>(path, "SELECT name FROM sqlite_schema WHERE type = 'index' ORDER BY name");
    const former = [...old.create.matchAll(/CREATE INDEX (\w+)/g)].map(([, name]) => name as string);
    expect(names.flat()).toEqual([...former, "idx_interactions_user"].toSorted());
  });
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
