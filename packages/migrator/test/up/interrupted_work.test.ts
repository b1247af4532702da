import { readdirSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { FileProcess } from "../../src/io/child/workers.ts";
import type { ProgressEvent } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { freshFolder } from "../support/folder.ts";
import { addRows, connect, FIELD_A, makeDatabase, query } from "../../../../test/legacy/legacy_database.ts";

/** A sparse file, which takes long to copy. */
function largeFile(folder: string, bytes: number): string {
  const path = join(folder, "large");
  writeFileSync(path, "");
  truncateSync(path, bytes);
  return path;
}

test("a copy reports progress and can be interrupted", async () => {
  const folder = freshFolder();
  const path = largeFile(folder, 1 << 30);
  const interrupt = new AbortController();
  const files = new FileProcess(interrupt.signal);
  const reported: number[] = [];
  const copy = files.copy(path, join(folder, "copy"), (done, total) => {
    reported.push(done);
    expect(total).toBe(1 << 30);
    interrupt.abort();
  });
  await expect(copy).rejects.toMatchObject({ name: "Stop", status: "interrupted" });
  expect(reported.length).toBeLessThan(16);
  files.close();
});

test("answers all requests after its process has ended", async () => {
  const folder = freshFolder();
  const files = new FileProcess();
  const answers = [files.hash(largeFile(folder, 1 << 30)), files.headers([join(folder, "large")])];
  files.close();
  for (const answer of answers) await expect(answer).rejects.toThrow("stopped");
  // It starts again at the next request.
  expect(await files.headers([join(folder, "large")])).toMatchObject([{ error: null }]);
  files.close();
});

test("long work reports progress in pieces and can be interrupted between them", async () => {
  const folder = freshFolder();
  const path = join(folder, "m.db");
  makeDatabase(path, FIELD_A);
  addRows(path, "metrics", 1000);
  const database = connect(path);
  // The minimum of rows for two pieces. Indexes are built faster afterwards.
  database.exec(`DROP INDEX idx_user_level; DROP INDEX idx_timestamp;
    WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 999000)
    INSERT INTO metrics (user_id, empathy_level, success, metadata) SELECT 'u', 1, 1, 'm' FROM numbers;
    ${FIELD_A}`);
  database.close();
  const before = readFileSync(path);
  const interrupt = new AbortController();
  const events: ProgressEvent[] = [];
  const report = await migrate(path, {
    backup: false,
    signal: interrupt.signal,
    onProgress: (event) => {
      events.push(event);
      if (event.stage === "verify" && event.done !== null) interrupt.abort();
    },
  });
  expect(report).toMatchObject({ exit_code: 130, databases: [{ status: "interrupted" }] });
  for (const stage of ["inspect", "change", "verify"])
    expect(events.filter((event) => event.stage === stage && event.done !== null)).toMatchObject([
      { unit: "rows", total: 1_000_000, done: expect.any(Number) },
    ]);
  expect(events.filter(({ detail }) => detail.includes("cannot be interrupted")).map(({ stage }) => stage)).toEqual([
    "change",
    "change",
    "change",
  ]);
  expect(readdirSync(folder)).toEqual(["m.db"]);
  expect(readFileSync(path).equals(before)).toBe(true);
  expect(query(path, "SELECT count(metadata) FROM metrics")).toEqual([[999_333n]]);
});

test("the backup of a database with a log reports progress in bytes", async () => {
  const path = join(freshFolder(), "m.db");
  makeDatabase(path, "PRAGMA page_size = 512; PRAGMA journal_mode = WAL", FIELD_A);
  addRows(path, "metrics", 10);
  // It prevents the checkpoint of the log.
  const other = connect(path);
  other.exec("CREATE TABLE large (x); INSERT INTO large VALUES (zeroblob(17000000))");
  const pages = other.pragma("page_count", { simple: true }) as number;
  const events: ProgressEvent[] = [];
  const report = await migrate(path, { onProgress: (event) => void events.push(event) });
  other.close();
  expect(report).toMatchObject({ exit_code: 0 });
  const copied = events.filter(({ stage, done }) => stage === "backup" && done !== null);
  expect(copied.map(({ done, total, unit }) => ({ done, total, unit }))).toEqual(
    Array.from({ length: Math.ceil(pages / 1000) - 1 }, (_, part) => ({
      done: (part + 1) * 1000 * 512,
      total: pages * 512,
      unit: "bytes",
    })),
  );
});
