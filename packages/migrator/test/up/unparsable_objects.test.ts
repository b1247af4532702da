import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { migrate, planMigration } from "../../src/index.ts";
import { freshFolder, stampOf } from "../support/folder.ts";
import { layOutLegacy } from "../golden/legacy_fixtures.ts";
import { connect, DOCUMENTED_15, FIELD_A, makeDatabase, query } from "../support/legacy_database.ts";

const textOf = (path: string, name: string): unknown =>
  query<[string]>(path, `SELECT sql FROM sqlite_schema WHERE name = '${name}'`)[0]?.[0];

function laidOut(...statements: string[]): string {
  const path = join(freshFolder(), "m.db");
  makeDatabase(path, ...statements);
  return path;
}

describe.each(["documented-15-unparsable-views", "field-a-unparsable-views"])("%s", (name) => {
  test("keeps a broken view verbatim; one with text in double quotes reads the renamed column", async () => {
    const path = layOutLegacy(name, freshFolder());
    const broken = textOf(path, "my_broken");
    expect(await migrate(path)).toMatchObject({
      exit_code: 0,
      databases: [
        {
          status: "migrated",
          notes: expect.arrayContaining([
            expect.stringContaining("in the view my_quoted"),
            expect.stringContaining("the view my_broken does not work"),
          ]),
        },
      ],
    });
    expect(textOf(path, "my_broken")).toBe(broken);
    expect(query(path, "SELECT id, level FROM my_quoted")).toEqual([[4n, 3n]]);
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

test("adapts a trigger with text in double quotes, which still fires", async () => {
  const path = laidOut(
    DOCUMENTED_15,
    `CREATE TABLE log (what);
     CREATE TRIGGER note AFTER INSERT ON interactions WHEN NEW.empathy_level = 5 BEGIN
       INSERT INTO log SELECT "high" || '!' WHERE NEW.user_id <> "it""s" AND "high" <> "low"; END`,
  );
  expect(await migrate(path)).toMatchObject({ exit_code: 0 });
  makeDatabase(
    path,
    "INSERT INTO interactions (user_id, level, success) VALUES ('a', 5, 1), ('b', 4, 1), ('it\"s', 5, 1)",
  );
  expect(query(path, "SELECT * FROM log")).toEqual([["high!"]]);
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
      "a repaired view of a dropped column",
      FIELD_A,
      `CREATE VIEW v AS SELECT id FROM metrics WHERE metadata <> "none"`,
      /view v.*metadata/,
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
