import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { verifyMigration } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { freshFolder } from "../support/folder.ts";
import { DOCUMENTED_15, FIELD_A, makeDatabase, query } from "../../../../test/legacy/legacy_database.ts";
import { expectAllThere, migrateWhenFree } from "./expect_all_there.ts";
import { HAS_PYTHON, startNode, startPython, type Writer } from "./writer.ts";
import { needs } from "../../../../test/needs.ts";

const FENCE_TEXT = "views may not be indexed";

/** Waits for some rows of each writer. */
const more = (...writers: Writer[]): Promise<unknown> => Promise.all(writers.map((writer) => writer.more(5)));
const ended = (...writers: Writer[]): Promise<unknown> => Promise.all(writers.map((writer) => writer.end()));

test("programs of version 15 with an open connection fail with an error, and lose no row", async () => {
  const path = join(freshFolder(), "metrics.db");
  makeDatabase(path, DOCUMENTED_15);
  const [one, two] = [startNode("record_15", path, "one"), startNode("record_15", path, "two")];
  await more(one, two);
  expect(await migrateWhenFree(path)).toMatchObject({ exit_code: 0, databases: [{ status: "migrated" }] });
  await more(one, two);
  await ended(one, two);
  for (const { failure } of [one, two]) expect(failure).toMatch(/empathy_level|version 16/);
  expectAllThere(path, { one, two });
  expect(query(path, "SELECT count(*) FROM interaction_metadata")).toEqual(
    query(path, "SELECT count(*) FROM interactions"),
  );
  const late = startNode("record_15", path, "late");
  await more(late);
  expect(late.failure).toContain("16");
  expect((await verifyMigration(path)).exit_code).toBe(0);
});

describe("a field program that starts after the migration", () => {
  const path = (): string => {
    const database = join(freshFolder(), "metrics.db");
    makeDatabase(database, FIELD_A);
    return database;
  };

  test("fails with an error at its start", async () => {
    const database = path();
    const early = startNode("record_field_a", database, "early");
    await more(early);
    expect((await migrateWhenFree(database)).exit_code).toBe(0);
    await ended(early);
    for (const start of HAS_PYTHON ? [startNode, pythonA] : [startNode]) {
      const late = start("record_field_a", database, "late");
      await more(late);
      expect(late.failure).toContain(FENCE_TEXT);
      expect(await late.end()).toBe(1);
      expect(late.recorded).toEqual([]);
    }
    expectAllThere(database, { early });
    expect(await migrate(database)).toMatchObject({ exit_code: 0, databases: [{ status: "nothing_to_do" }] });
  });

  test("creates a new table without a fence, and the next up merges the rows", async () => {
    const database = path();
    const early = startNode("record_field_a", database, "early");
    await more(early);
    expect((await migrateWhenFree(database, { fence: "none" })).exit_code).toBe(0);
    await ended(early);
    const late = startNode("record_field_a", database, "late");
    await more(late);
    // Again during the recording of another program.
    expect(await migrateWhenFree(database, { fence: "tombstone" })).toMatchObject({
      exit_code: 0,
      databases: [{ status: "migrated", layout: "both" }],
    });
    await more(late);
    await ended(late);
    expect(late.failure).toContain("version 16");
    expectAllThere(database, { early, late });
    expect((await verifyMigration(database)).exit_code).toBe(0);
  });
});

const pythonA: typeof startNode = (_program, database, name) => startPython("a", database, name);

test("programs of 15.0.0 and later, which have no levels, lose no row", needs("python", !HAS_PYTHON), async () => {
  const path = join(freshFolder(), "metrics.db");
  const [one, two] = [startPython("b", path, "one"), startPython("b", path, "two")];
  await more(one, two);
  expect(await migrateWhenFree(path, { missingLevel: 4, fence: "none" })).toMatchObject({ exit_code: 0 });
  await ended(one, two);
  const late = startPython("b", path, "late");
  await more(late);
  await ended(late);
  expect(await migrate(path)).toMatchObject({ exit_code: 3 });
  expect(await migrateWhenFree(path, { missingLevel: 2 })).toMatchObject({ exit_code: 0 });
  expectAllThere(path, { one, two }, () => 4);
  expectAllThere(path, { late }, () => 2);
});
