import { readFileSync } from "node:fs";
import Sqlite from "better-sqlite3";
import { expect, test } from "vitest";
import { eraseLeftovers, rewriteKeepingSums } from "../../src/metrics/deletion/erase.ts";
import type { ErasedDatabase } from "../../src/sqlite/erase_texts.ts";
import { deletionSteps } from "../../src/metrics/deletion/deletion_steps.ts";
import { InteractionLog } from "../../src/metrics/interaction_log.ts";
import { openMetrics } from "../../src/metrics/open_metrics.ts";
import type { Database } from "../../src/sqlite/open_database.ts";
import { newPath } from "../rollup/databases.ts";

const erasedOf = (path: string, database: Database, rewrittenUpTo: number): ErasedDatabase => ({
  database,
  path,
  waits: { timeoutMs: 50, sliceMs: 50 },
  rewrittenUpTo,
  change: (work) => database.transaction(work).immediate(),
});

function run(path: string, database: Database, rewrittenUpTo: number, userId: string = "alice@example.com"): void {
  const steps = eraseLeftovers(erasedOf(path, database, rewrittenUpTo), { userId, before: undefined });
  while (steps.next().done !== true);
}

/** Another program records and deletes rows without overwriting them. */
function used(sql: string, encoding: string = "UTF-8"): string {
  const path = newPath();
  const other = new Sqlite(path);
  other.exec(`PRAGMA encoding = '${encoding}'; CREATE TABLE first (x); DROP TABLE first`);
  openMetrics(path, "level", {}).close();
  other.pragma("secure_delete = OFF");
  other.exec(sql);
  other.pragma("wal_checkpoint(TRUNCATE)");
  other.close();
  return path;
}

const insert = (id: number, metadata: string): string =>
  `INSERT INTO interactions (id, user_id, level, success) VALUES (${id}, 'u', 1, 1); INSERT INTO interaction_metadata VALUES (${id}, ${metadata});`;

test("overwrites unused pages without a rewrite of the database", () => {
  const path = used("CREATE TABLE other (x); INSERT INTO other VALUES ('the secret'); DROP TABLE other");
  expect(readFileSync(path).includes("the secret")).toBe(true);
  const database = openMetrics(path, "level", {});
  run(path, database, 0);
  database.close();
  expect(readFileSync(path).includes("the secret")).toBe(false);
});

test("does not rewrite a large database: the caller decides about that", () => {
  const path = used(
    `${insert(1, "'the secret'")} ${insert(2, "'x'")} DELETE FROM interaction_metadata WHERE interaction_id = 1`,
  );
  const database = openMetrics(path, "level", {});
  expect(() => run(path, database, 1000)).toThrow(
    expect.objectContaining({ code: "PERDURA_STORAGE", mayBeWritten: true, path }),
  );
  run(path, database, Infinity);
  database.close();
  expect(readFileSync(path).includes("the secret")).toBe(false);
});

const LONG = `patient:${"Jane Q. Doe, born 1970-01-01; ".repeat(200)}`;
const MANY = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < ";

/** Rows of a user among others, without metadata, all deleted; then rows that overwrite a part of them. */
const overwritten = (userId: string): string => `
  ${MANY} 300) INSERT INTO interactions (user_id, level, success) SELECT iif(x % 5 = 0, '${userId}', 'bob'), 1, 1 FROM c;
  DELETE FROM interactions WHERE user_id = '${userId}';
  ${MANY} 40) INSERT INTO interactions (user_id, level, success) SELECT 'ann', 1, 1 FROM c;`;

/** Rows of a user that another program gave to another user, so that only the ends of the id are left. */
const replaced = (userId: string): string => `
  ${MANY} 300) INSERT INTO interactions (user_id, level, success) SELECT iif(x % 5 = 0, '${userId}', 'bob'), 1, 1 FROM c;
  UPDATE interactions SET user_id = 'ann' WHERE user_id = '${userId}';`;

/**
 * Metadata that became shorter by whole overflow pages: its part on the page of the table has the same length as before,
 * so that only the last overflow page has an unused end.
 */
const SHORTENED = `
  INSERT INTO interactions (id, user_id, level, success) VALUES (1, 'b', 1, 1), (2, 'b', 1, 1), (3, 'b', 1, 1);
  INSERT INTO interaction_metadata
    SELECT id, substr(replace(hex(zeroblob(2000)), '00', 'the secret '), 1, 12373) FROM interactions;
  UPDATE interaction_metadata SET metadata = printf('%.*c', 8281, '-');`;

const encoded = (text: string, encoding: string): Buffer =>
  encoding === "UTF-8"
    ? Buffer.from(text)
    : encoding === "UTF-16le"
      ? Buffer.from(text, "utf16le")
      : Buffer.from(text, "utf16le").swap16();

const ENCODINGS = ["UTF-8", "UTF-16le", "UTF-16be"];
const PERSON = "maximilian.mustermann+newsletter@example.com";
const PARTS = ["maximilian", "mustermann", "newsletter"];

test.each(
  ENCODINGS.flatMap((encoding) => [
    { what: "an id", encoding, userId: PERSON, sql: overwritten(PERSON), parts: PARTS },
    { what: "the end of an id", encoding, userId: PERSON, sql: replaced(PERSON), parts: PARTS },
    { what: "an id of several pages", encoding, userId: LONG, sql: overwritten(LONG), parts: ["Jane Q. Doe"] },
    { what: "shortened metadata", encoding, userId: PERSON, sql: SHORTENED, parts: ["the secret "] },
  ]),
)("leaves no part of $what in a database in $encoding", ({ encoding, userId, sql, parts }) => {
  const path = used(sql, encoding);
  const left = (): string[] => parts.filter((part) => readFileSync(path).includes(encoded(part, encoding)));
  expect(left()).not.toEqual([]);
  const database = openMetrics(path, "level", {});
  run(path, database, Infinity, userId);
  database.close();
  expect(left()).toEqual([]);
});

test.each(
  ENCODINGS.flatMap((encoding) => [
    { what: "an id", encoding, userId: PERSON, sql: overwritten(PERSON), text: PERSON },
    // Of the same length in bytes.
    ...[encoding === "UTF-8" ? LONG : LONG.slice(0, LONG.length / 2)].map((userId) => ({
      what: "an id of several pages",
      encoding,
      userId,
      sql: overwritten(userId),
      text: "Jane Q. Doe",
    })),
    { what: "shortened metadata", encoding, userId: PERSON, sql: SHORTENED, text: "the secret " },
  ]),
)("finds $what in a large database in $encoding, which a rewrite overwrites", ({ encoding, userId, sql, text }) => {
  const path = used(sql, encoding);
  const database = openMetrics(path, "level", {});
  expect(() => run(path, database, 0, userId)).toThrow(expect.objectContaining({ code: "PERDURA_STORAGE" }));
  rewriteKeepingSums(erasedOf(path, database, 0));
  run(path, database, 0, userId);
  database.close();
  expect(readFileSync(path).includes(encoded(text, encoding))).toBe(false);
});

test("says that a reader keeps the log", () => {
  const path = used(insert(1, "'x'"));
  const database = openMetrics(path, "level", { busyTimeoutMs: 50 });
  const reader = new Sqlite(path);
  reader.exec("BEGIN; SELECT count(*) FROM interactions");
  reader.prepare("SELECT count(*) FROM interactions").get();
  database.exec("INSERT INTO interactions (user_id, level, success) VALUES ('u', 1, 1)");
  expect(() => run(path, database, Infinity)).toThrow(expect.objectContaining({ code: "PERDURA_BUSY", path }));
  reader.close();
  run(path, database, Infinity);
  database.close();
});

test("removes samples of the content of indexes", () => {
  const path = used(
    `${[...Array(300).keys()].map((id) => insert(id + 1, "'x'").replace("'u'", `'alice@example.com'`)).join("")} ANALYZE; DELETE FROM interactions`,
  );
  expect(readFileSync(path).includes("alice@example.com")).toBe(true);
  const database = openMetrics(path, "level", {});
  run(path, database, Infinity);
  database.close();
  expect(readFileSync(path).includes("alice@example.com")).toBe(false);
});

test("rows are deleted without a wait for the disk in each step, and with one at the end", () => {
  const path = newPath();
  const log = new InteractionLog(path, "level", { durability: "full" });
  log.appendAll(
    Array.from({ length: 600 }, () => ({ userId: "u", level: 1, success: true, responseTimeMs: 1, metadata: null })),
  );
  log.close();
  const database = openMetrics(path, "level", { durability: "full" });
  database.exec(`CREATE TEMP TABLE noted (synchronous);
    CREATE TEMP TRIGGER noted AFTER DELETE ON main.interactions BEGIN
      INSERT INTO noted SELECT synchronous FROM pragma_synchronous; END`);
  const synchronous = (): unknown => database.pragma("synchronous", { simple: true });
  const changes: unknown[] = [];
  const steps = deletionSteps(
    {
      database,
      path,
      waits: { timeoutMs: 50, sliceMs: 50 },
      rewrittenUpTo: 0,
      change: (work) => {
        changes.push(synchronous());
        return database.transaction(work).immediate();
      },
      *refreshSums() {},
    },
    { userId: "u", before: undefined, erase: false, report: undefined },
  );
  const before = synchronous();
  while (steps.next().done !== true) expect(synchronous()).toBe(before);
  expect(database.prepare("SELECT DISTINCT synchronous FROM noted").pluck().all()).toEqual([1]);
  expect(before).toBeGreaterThan(1);
  expect([changes.at(-1), synchronous()]).toEqual([before, before]);
  database.close();
});
