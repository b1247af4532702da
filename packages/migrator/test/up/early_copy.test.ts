import { createHash } from "node:crypto";
import { closeSync, copyFileSync, openSync, readdirSync, readFileSync, statSync, writeSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { type MigrationOptions, planMigration } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { freshFolder, stampOf } from "../support/folder.ts";
import { addRows, DOCUMENTED_15, FIELD_A, makeDatabase, query } from "../../../../test/legacy/legacy_database.ts";

/** Enough that their changes exceed the cache of a migration. */
const ROWS = 80_000;
/** Makes a database large enough to be copied during its inspection: one long value takes less time than many rows. */
const FILLER = "CREATE TABLE filler (x); INSERT INTO filler VALUES (zeroblob(28 << 20))";

const TABLES = new Map<string, "interactions" | "metrics">([
  [DOCUMENTED_15, "interactions"],
  [FIELD_A, "metrics"],
]);

/** Databases with these rows, made once, by the table that has them. */
const templates = freshFolder();
beforeAll(() => {
  for (const [schema, table] of TABLES) {
    makeDatabase(join(templates, table), schema);
    addRows(join(templates, table), table, ROWS);
    makeDatabase(join(templates, table), FILLER);
  }
});

function database(schema = DOCUMENTED_15): { folder: string; path: string } {
  const folder = freshFolder();
  const path = join(folder, "m.db");
  copyFileSync(join(templates, TABLES.get(schema) as string), path);
  return { folder, path };
}

const copiesIn = (folder: string): string[] => readdirSync(folder).filter((name) => name.endsWith(".perdura-tmp"));

/** Calls a function just before the lock is taken, when the early backup exists. */
function beforeLock(folder: string, act: (copy: string) => void): MigrationOptions {
  return {
    onProgress: ({ stage }) => {
      if (stage !== "lock") return;
      const copies = copiesIn(folder);
      expect(copies).toHaveLength(1);
      act(join(folder, copies[0] as string));
    },
  };
}

test("a large database is copied while it is examined, and that copy is the backup", async () => {
  const { folder, path } = database();
  const before = readFileSync(path);
  let inode = 0n;
  const report = await migrate(
    path,
    beforeLock(folder, (copy) => (inode = statSync(copy, { bigint: true }).ino)),
  );
  const sha256 = createHash("sha256").update(before).digest("hex");
  expect(report).toMatchObject({
    exit_code: 0,
    databases: [{ status: "migrated", backup: { sha256, reused: false }, verification: { method: "pages" } }],
  });
  const backup = `${path}.v15.bak`;
  expect(readFileSync(backup).equals(before)).toBe(true);
  expect(statSync(backup, { bigint: true })).toMatchObject({ ino: inode, mode: statSync(path, { bigint: true }).mode });
  expect(copiesIn(folder)).toEqual([]);
});

describe.each([
  ["the documented layout", DOCUMENTED_15, "interactions", "2025-10-20"],
  ["a field layout", FIELD_A, "metrics", '"x": NaN'],
] as const)("of %s", (_what, schema, table, text) => {
  test("makes an outdated copy again: the backup has every row that was written until then", async () => {
    const { folder, path } = database(schema);
    const report = await migrate(
      path,
      beforeLock(folder, () => addRows(path, table, 3)),
    );
    expect(report).toMatchObject({
      exit_code: 0,
      databases: [{ verification: { rows_before: ROWS + 3, rows_after: ROWS + 3 } }],
    });
    expect(query(`${path}.v15.bak`, `SELECT count(*) FROM ${table}`)).toEqual([[BigInt(ROWS + 3)]]);
    expect(copiesIn(folder)).toEqual([]);
  });

  test("the proof fails if one byte of the copy differs", async () => {
    const { folder, path } = database(schema);
    const report = await migrate(
      path,
      beforeLock(folder, (copy) => {
        const position = readFileSync(copy).indexOf(text, 20_000) + text.length - 1;
        const file = openSync(copy, "r+");
        writeSync(file, "M", position);
        closeSync(file);
      }),
    );
    expect(report).toMatchObject({ exit_code: 1, databases: [{ status: "failed" }] });
    expect(query(path, `SELECT count(empathy_level) FROM ${table}`)).toEqual([[BigInt(ROWS)]]);
  });
});

describe("leaves no copy and changes nothing", () => {
  test("if rows prevent the migration", async () => {
    const { folder, path } = database();
    makeDatabase(path, "UPDATE interactions SET empathy_level = 9 WHERE id = 77");
    const before = stampOf(folder);
    expect(await migrate(folder)).toMatchObject({ exit_code: 3, databases: [{ status: "refused" }] });
    expect(stampOf(folder)).toBe(before);
  });

  test("if the run is interrupted", async () => {
    const { folder, path } = database();
    const before = stampOf(folder);
    const interrupt = new AbortController();
    const report = migrate(path, { signal: interrupt.signal });
    await expect.poll(() => copiesIn(folder), { interval: 1 }).toHaveLength(1);
    interrupt.abort();
    expect(await report).toMatchObject({ exit_code: 130 });
    expect(stampOf(folder)).toBe(before);
  });

  test("for a plan, a rehearsal, or a run without backup", async () => {
    const { folder, path } = database();
    const options: MigrationOptions = {
      onProgress: ({ stage }) => (stage === "inspect" ? expect(copiesIn(folder)).toEqual([]) : undefined),
    };
    const before = stampOf(folder);
    await planMigration(path, options);
    await migrate(path, { ...options, rehearse: true });
    expect(stampOf(folder)).toBe(before);
    await migrate(path, { ...options, backup: false, saveReport: false });
    expect(readdirSync(folder)).toEqual(["m.db"]);
  });

  test("for several databases, of which one may need a decision", async () => {
    const { folder, path } = database();
    makeDatabase(join(folder, "a.db"), DOCUMENTED_15);
    const report = await migrate(folder, {
      onProgress: ({ stage }) => (stage === "lock" ? expect(copiesIn(folder)).toEqual([]) : undefined),
    });
    expect(report).toMatchObject({ exit_code: 0, databases: [{ status: "migrated" }, { path, status: "migrated" }] });
  });
});
