import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { planMigration, downgradeMigration } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { freshFolder, stampOf } from "../support/folder.ts";
import {
  ALL_TABLES,
  hasLevels,
  layoutSuite,
  rotated,
  TABLES_WITH_ALL_COLUMNS,
  useLayout,
} from "../layouts/layout_suite.ts";
import { optionsFor, redeclared, spelled } from "../layouts/old_table.ts";
import { layOutLegacy } from "../../../../test/legacy/legacy_fixtures.ts";
import { connect, makeDatabase, query } from "../../../../test/legacy/legacy_database.ts";

const textOf = (path: string, name: string): unknown =>
  query<[string]>(path, `SELECT sql FROM sqlite_schema WHERE name = '${name}'`)[0]?.[0];

function laidOut(...statements: string[]): string {
  const path = join(freshFolder(), "m.db");
  makeDatabase(path, ...statements);
  return path;
}

test.each(["documented-15-unparsable-views", "field-a-unparsable-views"])(
  "%s: keeps a broken view, and one with text in double quotes, verbatim",
  async (name) => {
    const path = layOutLegacy(name, freshFolder());
    const texts = ["my_broken", "my_quoted"].map((view) => textOf(path, view));
    expect(await migrate(path)).toMatchObject({
      exit_code: 0,
      databases: [{ status: "migrated", notes: [expect.stringContaining("the view my_broken does not work")] }],
    });
    expect(["my_broken", "my_quoted"].map((view) => textOf(path, view))).toEqual(texts);
  },
);

/** Runs statements as the sqlite3 shell would. */
function run(path: string, statements: string): void {
  const database = connect(path);
  database.unsafeMode(true);
  database.exec(statements);
  database.close();
}

const statementsIn = (reason: string | null | undefined): string =>
  /PRAGMA writable_schema = ON;[\s\S]* PRAGMA writable_schema = RESET;/.exec(reason ?? "")?.[0] ?? "";

describe("names text in double quotes in objects that use a renamed name, and statements that correct it", () => {
  test.each(["documented-15-quoted", "field-a-quoted"])("%s", async (name) => {
    const path = layOutLegacy(name, freshFolder());
    const before = stampOf(join(path, ".."));
    const { exit_code, databases } = await migrate(path);
    expect(exit_code).toBe(3);
    expect(stampOf(join(path, ".."))).toBe(before);
    const reason = databases[0]?.reason ?? "";
    expect(reason).toContain(`the index my_expression: write '-' instead of "-"`);
    expect(reason).toMatch(/the view my_named: write 'a level' instead of "a level", and 'bob' instead of "bob"/);
    expect(reason).toContain("the trigger my_trigger: write");
    expect(reason).not.toContain("my_checked: write");
    run(path, statementsIn(reason));
    expect(await migrate(path)).toMatchObject({ exit_code: 0, databases: [{ status: "migrated" }] });
    expect(query(path, "SELECT id, level, what FROM my_named")).toEqual([[2n, 5n, "a level"]]);
    expect(await downgradeMigration(path)).toMatchObject({ exit_code: 0, databases: [{ status: "downgraded" }] });
  });

  layoutSuite((old) => {
    test("also before a downgrade, which gives the column its former name", async () => {
      const path = laidOut(old.create);
      await migrate(path);
      makeDatabase(path, 'CREATE VIEW own AS SELECT id FROM interactions WHERE level > 1 AND user_id = "bob"');
      expect(await downgradeMigration(path)).toMatchObject({
        exit_code: 3,
        databases: [
          { status: "refused", reason: expect.stringContaining("the view own: write 'bob' instead of \"bob\"") },
        ],
      });
    });

    test("in a trigger that also has a name of that spelling", async () => {
      const path = laidOut(
        old.create,
        spelled(
          old,
          `CREATE TABLE log (what);
           CREATE TRIGGER note AFTER INSERT ON metrics WHEN NEW.empathy_level = 5 BEGIN
             INSERT INTO log SELECT "high" || '!' AS "high" WHERE NEW.user_id <> "it""s" AND "high" <> "low"; END`,
        ),
      );
      run(path, statementsIn((await migrate(path)).databases[0]?.reason));
      expect(await migrate(path)).toMatchObject({ exit_code: 0 });
      makeDatabase(
        path,
        "INSERT INTO interactions (user_id, level, success) VALUES ('a', 5, 1), ('b', 4, 1), ('it\"s', 5, 1)",
      );
      expect(query(path, "SELECT * FROM log")).toEqual([["high!"]]);
    });

    test("in the metrics table itself", async () => {
      const path = laidOut(redeclared(old, { user_id: "TEXT NOT NULL CHECK (user_id <> 'none')" }).create);
      run(
        path,
        `PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace(sql, '''none''', '"none"') WHERE name = '${old.table}'; PRAGMA writable_schema = RESET`,
      );
      const { reason } = (await migrate(path)).databases[0] ?? {};
      expect(reason).toContain(`the table ${old.table}: write 'none' instead of "none"`);
      run(path, statementsIn(reason));
      expect(await migrate(path)).toMatchObject({ exit_code: 0, databases: [{ status: "migrated" }] });
    });
  }, hasLevels);
});

layoutSuite((old) => {
  test("keeps objects that use no renamed name verbatim and in order", async () => {
    const path = laidOut(
      old.create,
      spelled(
        old,
        `CREATE TABLE other (a TEXT);
         CREATE VIEW quoted AS SELECT a FROM other WHERE a = "metrics of x" -- metrics
         ;
         CREATE VIEW hollow AS SELECT * FROM gone;
         CREATE TRIGGER on_hollow INSTEAD OF INSERT ON hollow BEGIN INSERT INTO gone VALUES (1); END;
         CREATE TRIGGER broken AFTER INSERT ON other BEGIN INSERT INTO gone VALUES ('user_id of metrics'); END`,
      ),
    );
    const objects = "SELECT name, sql FROM sqlite_schema WHERE type IN ('view', 'trigger') ORDER BY rowid";
    const before = query(path, objects);
    const { databases } = await migrate(path, { ...optionsFor(old), fence: "none" });
    expect(databases[0]).toMatchObject({ status: "migrated", reason: null });
    expect(query(path, objects)).toEqual(before);
  });
});

describe("names objects that cannot be adapted, and changes nothing", () => {
  const MOVED: [what: string, sql: string, named: RegExp][] = [
    ["a broken view of the table", "CREATE VIEW v AS SELECT empathy_level FROM metrics JOIN gone", /view v .*gone/],
    [
      "a view with text in double quotes of a dropped column",
      `CREATE VIEW v AS SELECT id FROM metrics WHERE metadata <> "none"`,
      /view v: write 'none' instead of "none"/,
    ],
    [
      "a name that is text here and a column there",
      `CREATE TABLE x (alice); CREATE VIEW v AS SELECT id FROM metrics WHERE user_id = "alice" AND EXISTS (SELECT "alice" FROM x)`,
      /view v.*alice/,
    ],
  ];
  const RENAMED: typeof MOVED = [
    [
      "a broken trigger of the table",
      "CREATE TRIGGER t AFTER UPDATE OF empathy_level ON metrics BEGIN INSERT INTO gone VALUES (1); END",
      /trigger t .*gone/,
    ],
  ];

  test.each([
    ...rotated(
      MOVED,
      ALL_TABLES.filter(({ table }) => table !== "interactions"),
    ),
    ...rotated(RENAMED),
  ])("%s", async (_what, sql, named, old) => {
    useLayout(old);
    const path = laidOut(old.create, spelled(old, sql));
    const before = stampOf(join(path, ".."));
    for (const command of [planMigration, migrate]) {
      expect(await command(path, optionsFor(old))).toMatchObject({
        exit_code: 3,
        databases: [{ status: "refused", reason: expect.stringMatching(named) }],
      });
      expect(stampOf(join(path, ".."))).toBe(before);
    }
  });
});

test.each(TABLES_WITH_ALL_COLUMNS)("names a view of $table whose columns change with it", async (old) => {
  useLayout(old);
  const path = laidOut(
    old.create,
    ...[
      "CREATE VIEW every AS SELECT * FROM metrics",
      "CREATE VIEW some AS SELECT id FROM metrics",
      "CREATE VIEW of_view AS SELECT * FROM every",
    ].map((sql) => spelled(old, sql)),
  );
  const changed = Object.entries(old.names).filter(([column, name]) => column !== name || column === "metadata");
  const removed = changed.map(([, name]) => name).join(", ");
  const added = changed.map(([column]) => column).filter((column) => column !== "metadata");
  const change = `${removed} are removed, ${added.join(", ")} ${added.length === 1 ? "is" : "are"} added`;
  const { databases } = await migrate(path);
  expect(databases[0]?.notes).toEqual([
    expect.stringContaining("additional columns of the table (my_note)"),
    expect.stringMatching(`view every .*${change}`),
    expect.stringMatching(`view of_view .*${change}`),
  ]);
  const database = connect(path);
  expect(
    database
      .prepare("SELECT * FROM every")
      .columns()
      .map(({ name }) => name),
  ).toContain("level");
  database.close();
});
