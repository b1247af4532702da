import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { downgradeMigration, planMigration } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { freshFolder, stampOf } from "../support/folder.ts";
import { wholeContent } from "../support/whole_content.ts";
import { addRows, DOCUMENTED_15, FIELD_A, makeDatabase, query } from "../../../../test/legacy/legacy_database.ts";

/** Layout A with a part after its last column. */
const withPart = (part: string): string => FIELD_A.replace("metadata TEXT", `metadata TEXT${part}`);

function laidOut(...statements: string[]): string {
  const path = join(freshFolder(), "m.db");
  makeDatabase(path, ...statements);
  return path;
}

/** A table to which columns refer. */
const OTHER = "CREATE TABLE other (metadata PRIMARY KEY, x UNIQUE)";

/** Misleading advice: a table that does not exist, or dropping an object with data. */
const MISLEADING = /\btable interactions\b|drop that object/;

const GENERATED = "ALTER TABLE metrics ADD COLUMN tool TEXT AS (json_extract(metadata, '$.n'))";

describe("names every use of the metadata column, with the remedy", () => {
  test.each<[what: string, statements: string[], named: string[]]>([
    [
      "a generated column",
      [FIELD_A, GENERATED],
      ["the generated column tool", 'ALTER TABLE "metrics" DROP COLUMN "tool"'],
    ],
    [
      "a generated column that is stored, in quotes",
      [withPart(`, "my ""tool" TEXT GENERATED ALWAYS AS ("metadata" || '') STORED`)],
      ['ALTER TABLE "metrics" DROP COLUMN "my ""tool"'],
    ],
    [
      "an index on a generated column, before that",
      [FIELD_A, GENERATED, "CREATE INDEX by_tool ON metrics(tool)"],
      ['DROP INDEX "by_tool"', 'ALTER TABLE "metrics" DROP COLUMN "tool"'],
    ],
    [
      "indexes, by an expression or a condition",
      [
        FIELD_A,
        "CREATE INDEX one ON metrics(json_extract(metadata, '$.n')); CREATE INDEX two ON metrics(user_id) WHERE [metadata] IS NOT NULL",
      ],
      ['DROP INDEX "one"', 'DROP INDEX "two"'],
    ],
  ])("%s: the advice works", async (_what, statements, named) => {
    const path = laidOut(...statements);
    addRows(path, "metrics", 4);
    const before = stampOf(join(path, ".."));
    for (const command of [planMigration, migrate]) {
      const [database] = (await command(path)).databases;
      expect(database).toMatchObject({ status: "refused" });
      for (const part of named) expect(database?.reason).toContain(part);
      expect(database?.reason).not.toMatch(MISLEADING);
    }
    expect(stampOf(join(path, ".."))).toBe(before);
    const { reason } = (await planMigration(path)).databases[0] ?? {};
    makeDatabase(
      path,
      ...[...(reason ?? "").matchAll(/\((ALTER TABLE|DROP INDEX)[^;]*/g)].map(([text]) => text.slice(1)),
    );
    expect(await migrate(path)).toMatchObject({ exit_code: 0, databases: [{ status: "migrated" }] });
  });

  test.each([
    [
      "a constraint of the table",
      ", CHECK (metadata IS NULL OR length(metadata) < 99)",
      "CHECK (metadata IS NULL OR length(metadata) < 99)",
    ],
    ["a named constraint", ", CONSTRAINT mine CHECK (metadata <> ',(')", "CONSTRAINT mine CHECK (metadata <> ',(')"],
    ["a constraint of another column", ", x TEXT CHECK (x <> metadata)", "x TEXT CHECK (x <> metadata)"],
    ["UNIQUE of several columns", ", UNIQUE (user_id, metadata)", "UNIQUE (user_id, metadata)"],
    ["UNIQUE of the column", " UNIQUE", "the UNIQUE constraint of the column itself"],
    ["a foreign key", ", FOREIGN KEY (metadata) REFERENCES other (x)", "FOREIGN KEY (metadata) REFERENCES other (x)"],
  ])("%s", async (_what, part, named) => {
    const [database] = (await planMigration(laidOut(withPart(part), OTHER))).databases;
    expect(database).toMatchObject({ status: "refused" });
    expect(database?.reason).toContain(named);
    expect(database?.reason).toMatch(/lang_altertable.*no row needs to be removed/);
    expect(database?.reason).not.toMatch(MISLEADING);
  });

  test.each([
    ["its own CHECK", " CHECK (metadata <> 'x')"],
    ["its own reference", " REFERENCES other (metadata)"],
    [
      "text and other tables' columns",
      ", x TEXT DEFAULT 'metadata' REFERENCES other (metadata) CHECK (x <> 'metadata ')",
    ],
  ])("%s does not prevent the migration", async (_what, part) => {
    expect(await planMigration(laidOut(withPart(part), OTHER))).toMatchObject({ databases: [{ status: "planned" }] });
  });

  test.each([
    ["a view", "CREATE VIEW mine AS SELECT metadata FROM metrics", "view mine"],
    [
      "a trigger",
      "CREATE TRIGGER mine AFTER INSERT ON metrics BEGIN UPDATE metrics SET metadata = '{}' WHERE id = NEW.id; END",
      "trigger mine",
    ],
  ])("%s, and states that it contains no data", async (_what, statement, named) => {
    const [database] = (await planMigration(laidOut(FIELD_A, statement))).databases;
    expect(database).toMatchObject({ status: "refused" });
    expect(database?.reason).toContain(named);
    expect(database?.reason).toMatch(/it contains no data|no row needs to be removed/);
    expect(database?.reason).not.toMatch(MISLEADING);
  });
});

test("a column metadata of the documented layout is its owner's, and stays in the table", async () => {
  const path = join(freshFolder(), "m.db");
  makeDatabase(
    path,
    DOCUMENTED_15,
    "ALTER TABLE interactions ADD COLUMN metadata TEXT",
    "INSERT INTO interactions (user_id, empathy_level, success, metadata) VALUES ('a', 3, 1, 'mine')",
  );
  const before = wholeContent(path);
  expect(await migrate(path)).toMatchObject({ exit_code: 0 });
  expect(query(path, "SELECT level, metadata FROM interactions")).toEqual([[3n, "mine"]]);
  expect(query(path, "SELECT name FROM sqlite_schema WHERE name = 'interaction_metadata'")).toEqual([]);
  expect(await downgradeMigration(path)).toMatchObject({ exit_code: 0 });
  expect(wholeContent(path)).toEqual(before);
});
