import { copyFileSync, existsSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as v16 from "@perdura/v16";
import Database from "better-sqlite3";
import { describe, expect, test } from "vitest";
import { LINES } from "./both_lines.ts";
import { freshFolder } from "../fresh_folder.ts";

/** Copies the log of a database that a program has open, as if only the database had been moved away. */
function leaveLog(to: string): void {
  const path = join(freshFolder(), "metrics.db");
  using collector = new v16.MetricsCollector(path);
  collector.recordInteraction("alice", 4, true, 1);
  copyFileSync(`${path}-wal`, `${to}-wal`);
}

/** Copies the journal of an uncommitted transaction, after SQLite has synced it. */
function leaveJournal(to: string, rowsBefore = 500): void {
  const path = join(freshFolder(), "a.db");
  const database = new Database(path);
  database.pragma("cache_size = 1");
  const rows = (count: number): string =>
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count}) INSERT INTO t SELECT hex(randomblob(100)) FROM n`;
  if (rowsBefore > 0) database.exec(`CREATE TABLE t (x); ${rows(rowsBefore)}`);
  database.exec(rowsBefore > 0 ? `BEGIN; UPDATE t SET x = 1; ${rows(500)}` : `BEGIN; CREATE TABLE t (x); ${rows(500)}`);
  copyFileSync(`${path}-journal`, `${to}-journal`);
  database.close();
}

const LEFT = [
  ["a write-ahead log", leaveLog, "-wal"],
  ["a rollback journal", leaveJournal, "-journal"],
] as const;

describe.for(LINES)("in $name", ({ line }) => {
  const library = (): v16.PatternLibrary => new line.PatternLibrary() as v16.PatternLibrary;

  /** Every way in which the line opens a database. */
  const opened: readonly (readonly [string, (path: string) => unknown])[] = [
    ["a collector", (path) => new line.MetricsCollector(path)],
    ["saving", (path) => line.PatternPersistence.saveToSqlite(library() as never, path)],
    ["loading", (path) => line.PatternPersistence.loadFromSqlite(path)],
  ];

  describe.each(LEFT)("%s with data is not deleted", (_what, leave, suffix) => {
    test.each([
      ["is missing", () => undefined],
      ["is empty (0 bytes)", (path: string) => writeFileSync(path, "")],
    ])("when its database %s", (state, make) => {
      for (const [what, open] of opened) {
        const path = join(freshFolder(), "metrics.db");
        leave(path);
        make(path);
        const before = readFileSync(`${path}${suffix}`);
        expect(() => open(path), what).toThrow(
          expect.objectContaining({
            code: "PERDURA_CORRUPT_DATA",
            path,
            message: `${path}: the database ${state}, but its log metrics.db${suffix} contains data, which SQLite would delete. Nothing was changed. Restore the database next to its log, or move the log elsewhere to start a new database.`,
          }),
        );
        expect(readFileSync(`${path}${suffix}`).equals(before)).toBe(true);
        expect(existsSync(path)).toBe(state !== "is missing");
      }
    });

    test("by openPersistence", () => {
      const directory = freshFolder();
      leave(join(directory, "metrics.db"));
      const refusal = expect.objectContaining({ code: "PERDURA_CORRUPT_DATA", path: join(directory, "metrics.db") });
      const open = (): unknown => line.openPersistence({ persistence_enabled: true, persistence_path: directory });
      expect(open).toThrow(refusal);
      expect(existsSync(join(directory, `metrics.db${suffix}`))).toBe(true);
    });

    test("next to the target of a symbolic link", () => {
      const place = join(freshFolder(), "metrics.db");
      leave(place);
      const link = join(freshFolder(), "metrics.db");
      symlinkSync(place, link);
      expect(() => new line.MetricsCollector(link)).toThrow(expect.objectContaining({ code: "PERDURA_CORRUPT_DATA" }));
      expect(existsSync(`${place}${suffix}`)).toBe(true);
    });
  });

  test.each<[string, (path: string) => void]>([
    ["an empty log", (path) => writeFileSync(`${path}-wal`, "")],
    ["a log that holds only its header", (path) => cut(path, "-wal", 32)],
    ["a log whose transaction was not committed", (path) => cut(path, "-wal", 32 + 24 + 4096)],
    ["a log with a wrong checksum", (path) => change(path, "-wal", (bytes) => bytes.fill(1, 80, 90))],
    ["a log whose frame has another salt", (path) => change(path, "-wal", (bytes) => bytes.fill(1, 40, 48))],
    ["an empty journal", (path) => writeFileSync(`${path}-journal`, "")],
    [
      "a journal that was committed in persistent mode",
      (path) => change(path, "-journal", (all) => all.fill(0, 0, 28)),
    ],
    ["a journal that was not synced", (path) => change(path, "-journal", (bytes) => bytes.fill(0, 0, 8))],
    ["a journal with a page count of 0", (path) => change(path, "-journal", (bytes) => bytes.fill(0, 8, 12))],
    ["a journal without a page", (path) => cut(path, "-journal", 512)],
    ["the journal of a database that was being created", (path) => leaveJournal(path, 0)],
    ["a shared memory file", (path) => writeFileSync(`${path}-shm`, Buffer.alloc(32_768))],
  ])("%s does not prevent a new database", (_what, make) => {
    const path = join(freshFolder(), "metrics.db");
    make(path);
    using collector = new line.MetricsCollector(path);
    expect(collector.getGlobalStats()).toMatchObject({ total_interactions: 0 });
  });

  test("opens a database next to its log, and one that was moved together with its log", () => {
    const [path, moved] = ["metrics.db", "moved.db"].map((name) => join(freshFolder(), name)) as [string, string];
    {
      using collector = new line.MetricsCollector(path);
      collector.recordInteraction("alice", 4, true, 1);
      for (const suffix of ["", "-wal"]) copyFileSync(`${path}${suffix}`, `${moved}${suffix}`);
    }
    using collector = new line.MetricsCollector(moved);
    expect(collector.getAllUsers()).toEqual(["alice"]);
  });
});

/** Makes a log or journal with changed bytes. */
function change(path: string, suffix: "-wal" | "-journal", edit: (bytes: Buffer) => Buffer): void {
  (suffix === "-wal" ? leaveLog : leaveJournal)(path);
  writeFileSync(`${path}${suffix}`, edit(readFileSync(`${path}${suffix}`)));
}

function cut(path: string, suffix: "-wal" | "-journal", length: number): void {
  change(path, suffix, (bytes) => bytes.subarray(0, length));
}
