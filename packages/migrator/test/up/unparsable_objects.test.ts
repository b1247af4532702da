import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { planMigration, downgradeMigration } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { freshFolder, stampOf } from "../support/folder.ts";
import { layOutLegacy } from "../../../../test/legacy/legacy_fixtures.ts";
import { connect, DOCUMENTED_15, FIELD_A, makeDatabase, query } from "../../../../test/legacy/legacy_database.ts";

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

describe("names text in double quotes in objects that use a renamed name, and statements that correct it", () => {
  /** Runs statements as the sqlite3 shell would. */
  function run(path: string, statements: string): void {
    const database = connect(path);
    database.unsafeMode(true);
    database.exec(statements);
    database.close();
  }

  const statementsIn = (reason = ""): string =>
    /PRAGMA writable_schema = ON;[\s\S]* PRAGMA writable_schema = RESET;/.exec(reason)?.[0] ?? "";

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

  test("also before a downgrade, which gives the column its former name", async () => {
    const path = laidOut(DOCUMENTED_15);
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
      DOCUMENTED_15,
      `CREATE TABLE log (what);
       CREATE TRIGGER note AFTER INSERT ON interactions WHEN NEW.empathy_level = 5 BEGIN
         INSERT INTO log SELECT "high" || '!' AS "high" WHERE NEW.user_id <> "it""s" AND "high" <> "low"; END`,
    );
    run(path, statementsIn((await migrate(path)).databases[0]?.reason ?? undefined));
    expect(await migrate(path)).toMatchObject({ exit_code: 0 });
    makeDatabase(
      path,
      "INSERT INTO interactions (user_id, level, success) VALUES ('a', 5, 1), ('b', 4, 1), ('it\"s', 5, 1)",
    );
    expect(query(path, "SELECT * FROM log")).toEqual([["high!"]]);
  });

  test("in the metrics table itself", async () => {
    const path = laidOut(FIELD_A.replace("user_id TEXT NOT NULL", "user_id TEXT NOT NULL CHECK (user_id <> 'none')"));
    run(
      path,
      `PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace(sql, '''none''', '"none"') WHERE name = 'metrics'; PRAGMA writable_schema = RESET`,
    );
    const reason = (await migrate(path)).databases[0]?.reason ?? "";
    expect(reason).toContain(`the table metrics: write 'none' instead of "none"`);
    run(path, statementsIn(reason));
    expect(await migrate(path)).toMatchObject({ exit_code: 0, databases: [{ status: "migrated" }] });
  });
});

test("keeps objects that use no renamed name verbatim and in order", async () => {
  const path = laidOut(
    FIELD_A,
    `CREATE TABLE other (a TEXT);
     CREATE VIEW quoted AS SELECT a FROM other WHERE a = "metrics of x" -- metrics
     ;
     CREATE VIEW hollow AS SELECT * FROM gone;
     CREATE TRIGGER on_hollow INSTEAD OF INSERT ON hollow BEGIN INSERT INTO gone VALUES (1); END;
     CREATE TRIGGER broken AFTER INSERT ON other BEGIN INSERT INTO gone VALUES ('empathy_level'); END`,
  );
  const objects =
    "SELECT name, sql FROM sqlite_schema WHERE type IN ('view', 'trigger') AND name <> 'metrics' ORDER BY rowid";
  const before = query(path, objects);
  expect((await migrate(path, { fence: "none" })).databases[0]).toMatchObject({ status: "migrated", reason: null });
  expect(query(path, objects)).toEqual(before);
});

describe("names objects that cannot be adapted, and changes nothing", () => {
  test.each([
    [
      "a broken view of the table",
      FIELD_A,
      "CREATE VIEW v AS SELECT empathy_level FROM metrics JOIN gone",
      /view v .*gone/,
    ],
    [
      "a broken trigger of the table",
      DOCUMENTED_15,
      "CREATE TRIGGER t AFTER UPDATE OF empathy_level ON interactions BEGIN INSERT INTO gone VALUES (1); END",
      /trigger t .*gone/,
    ],
    [
      "a view with text in double quotes of a dropped column",
      FIELD_A,
      `CREATE VIEW v AS SELECT id FROM metrics WHERE metadata <> "none"`,
      /view v: write 'none' instead of "none"/,
    ],
    [
      "a name that is text here and a column there",
      FIELD_A,
      `CREATE TABLE x (alice); CREATE VIEW v AS SELECT id FROM metrics WHERE user_id = "alice" AND EXISTS (SELECT "alice" FROM x)`,
      /view v.*alice/,
    ],
  ])("%s", async (_what, schema, sql, named) => {
    const path = laidOut(schema, sql);
    const before = stampOf(join(path, ".."));
    for (const command of [planMigration, migrate]) {
      expect(await command(path)).toMatchObject({
        exit_code: 3,
        databases: [{ status: "refused", reason: expect.stringMatching(named) }],
      });
      expect(stampOf(join(path, ".."))).toBe(before);
    }
  });
});

test("names a view whose columns change with the table", async () => {
  const path = laidOut(
    FIELD_A,
    "CREATE VIEW every AS SELECT * FROM metrics",
    "CREATE VIEW some AS SELECT user_id FROM metrics",
    "CREATE VIEW of_view AS SELECT * FROM every",
  );
  const { databases } = await migrate(path);
  expect(databases[0]?.notes).toEqual([
    expect.stringMatching(/view every .*empathy_level, metadata are removed, level is added/),
    expect.stringMatching(/view of_view .*empathy_level, metadata are removed, level is added/),
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
