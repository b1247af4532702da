import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { fixture } from "../../../../fixtures/paths.ts";
import { migrate, planMigration, revertMigration } from "../../src/index.ts";
import { freshFolder } from "../support/folder.ts";
import { addRows, DOCUMENTED_15, FIELD_A, makeDatabase } from "../support/legacy_database.ts";

const about = (report: Awaited<ReturnType<typeof migrate>>): string[] =>
  (report.databases[0]?.notes ?? []).filter((note) => /may have another meaning|never fire again/.test(note));

async function notesOf(...statements: string[]): Promise<string[]> {
  const path = join(freshFolder(), "m.db");
  makeDatabase(path, ...statements);
  const planned = about(await planMigration(path));
  const report = await migrate(path);
  expect(report).toMatchObject({ exit_code: 0 });
  expect(about(report)).toEqual(planned);
  return planned;
}

describe("names objects whose meaning may change with the names, before and after", () => {
  test.each([
    [
      "a used alias with the new name",
      "CREATE VIEW v AS SELECT success AS level, count(*) FROM metrics GROUP BY level",
      /view v .*name level, which the change also gives/,
    ],
    [
      "a column around a subquery",
      "CREATE TABLE t (level); CREATE VIEW v AS SELECT (SELECT max(level) FROM metrics) FROM t",
      /view v .*level, which the change also gives/,
    ],
    [
      "a WITH of the new name",
      "CREATE VIEW v AS WITH interactions AS (SELECT 1 AS id) SELECT id, (SELECT count(*) FROM metrics) AS n FROM interactions",
      /view v .*name interactions, which the change also gives/,
    ],
    [
      "NATURAL JOIN",
      "CREATE TABLE t (id, metadata); CREATE VIEW v AS SELECT id FROM metrics NATURAL JOIN t",
      /view v .*NATURAL JOIN/,
    ],
    [
      "a view of a view",
      "CREATE VIEW one AS SELECT * FROM metrics; CREATE VIEW v AS SELECT success AS level FROM one GROUP BY LEVEL",
      /view v .*level, which the change also gives/,
    ],
    [
      "the old name where another table has the new one",
      "CREATE TABLE t (id, level); CREATE VIEW v AS SELECT (SELECT empathy_level FROM t LIMIT 1) FROM metrics",
      /view v .*together with t/,
    ],
    [
      "a dropped column around a subquery",
      "CREATE TABLE t (metadata); CREATE VIEW v AS SELECT (SELECT max(metadata) FROM metrics) FROM t",
      /view v .*name metadata.*no longer a column/,
    ],
    [
      "a trigger for the metadata only",
      "CREATE TABLE l (a); CREATE TRIGGER v AFTER UPDATE OF metadata ON metrics BEGIN INSERT INTO l VALUES (1); END",
      /trigger v .*never fire again/,
    ],
  ])("%s", async (_what, sql, said) => {
    expect(await notesOf(FIELD_A, sql)).toEqual([expect.stringMatching(said)]);
  });

  test("also in the documented layout", async () => {
    const sql = "CREATE VIEW v AS SELECT success AS level, count(*) FROM interactions GROUP BY level";
    expect(await notesOf(DOCUMENTED_15, sql)).toEqual([expect.stringContaining("the view v")]);
  });
});

describe("reports no object whose meaning stays the same", () => {
  test.each([
    "CREATE VIEW v(level) AS SELECT empathy_level AS level FROM metrics -- level",
    "CREATE VIEW v AS SELECT empathy_level, 'level' AS what FROM metrics",
    "CREATE TABLE t (level); CREATE VIEW v AS SELECT level, count(*) FROM t GROUP BY level",
    "CREATE TABLE t (level); CREATE VIEW v AS SELECT m.empathy_level FROM metrics AS m, t",
  ])("%s", async (sql) => {
    expect(await notesOf(FIELD_A, sql)).toEqual([]);
  });

  test.each(["field-a-user-objects", "documented-15-user-objects"])("%s", async (name) => {
    const path = join(freshFolder(), "m.db");
    copyFileSync(fixture("legacy", `${name}.db`), path);
    expect(about(await planMigration(path))).toEqual([]);
  });
});

test("a downgrade checks objects that were created since for the old names", async () => {
  const path = join(freshFolder(), "m.db");
  const restored = "CREATE VIEW was AS SELECT empathy_level FROM metrics";
  makeDatabase(path, FIELD_A, restored);
  addRows(path, "metrics", 3);
  expect(await migrate(path)).toMatchObject({ exit_code: 0 });
  makeDatabase(
    path,
    "CREATE VIEW v AS SELECT success AS empathy_level, count(*) FROM interactions GROUP BY empathy_level; CREATE VIEW fine AS SELECT level FROM interactions",
  );
  const expected = [expect.stringMatching(/view v .*name empathy_level, which the change also gives/)];
  expect(about(await revertMigration(path, { dryRun: true }))).toEqual(expected);
  const report = await revertMigration(path);
  expect(report).toMatchObject({ exit_code: 0 });
  expect(about(report)).toEqual(expected);
});
