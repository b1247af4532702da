import { readFileSync } from "node:fs";
import Sqlite from "better-sqlite3";
import { expect, test } from "vitest";
import { eraseLeftovers } from "../../src/metrics/deletion/erase.ts";
import type { ErasedDatabase } from "../../src/sqlite/erase_texts.ts";
import { deletionSteps } from "../../src/metrics/deletion/deletion_steps.ts";
import { InteractionLog } from "../../src/metrics/interaction_log.ts";
import { openMetrics } from "../../src/metrics/open_metrics.ts";
import type { Database } from "../../src/sqlite/open_database.ts";
import { newPath } from "../rollup/databases.ts";

const ALICE = { userId: "alice@example.com", before: undefined };

function run(path: string, database: Database, rewrittenUpTo: number): void {
  const erased: ErasedDatabase = {
    database,
    path,
    waits: { timeoutMs: 50, sliceMs: 50 },
    rewrittenUpTo,
    change: (work) => database.transaction(work).immediate(),
  };
  const steps = eraseLeftovers(erased, ALICE);
  while (steps.next().done !== true);
}

/** Another program records and deletes rows without overwriting them. */
function used(sql: string): string {
  const path = newPath();
  openMetrics(path, "level", {}).close();
  const other = new Sqlite(path);
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
