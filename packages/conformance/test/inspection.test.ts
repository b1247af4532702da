import { readdirSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, it } from "vitest";
import { freshFolder } from "../../../test/fresh_folder.ts";
import { PATIENCE_MS } from "../../../test/patience.ts";
import Database from "better-sqlite3";
import type { SqliteCheck } from "../src/corpus/case.ts";
import { inspectDatabase } from "../src/runner/inspect_database.ts";
import { lockDatabase } from "../src/inspect/lock_database.ts";
import { provideFile } from "../src/inspect/provide_file.ts";
import { suiteText } from "../src/inspect/suite_text.ts";
import { inspectFiles, inspectMode, inspectText } from "../src/inspect/text_files.ts";
import { ON_POSIX } from "../../../test/needs.ts";

let directory: string;
let scratch: string;
beforeEach(() => {
  directory = freshFolder();
  scratch = freshFolder();
});

const scope = () => ({ data: {}, variables: new Map(), directory, began: Date.now() });
const inspect = (...checks: SqliteCheck[]) => inspectDatabase("x.db", checks, scope(), scratch);
const make = (statements: string[], more: object = {}) =>
  provideFile({ put: "x.db", sqlite: { statements, ...more } }, directory, scratch);

it("reads rows of the write-ahead log, and does not change the files", () => {
  make(["CREATE TABLE t (a)", "INSERT INTO t VALUES (1), (9007199254740993), (1e999), (x'ff')"], { leave_wal: true });
  expect(readdirSync(directory).toSorted()).toEqual(["x.db", "x.db-wal"]);
  const is = [
    { a: 1 },
    { a: { $int: "9007199254740993" } },
    { a: { $number: "Infinity" } },
    { a: { $any: true as const } },
  ];
  expect(inspect({ id: "rows", rows: "SELECT a FROM t", is })).toEqual([]);
  expect(readdirSync(directory).toSorted()).toEqual(["x.db", "x.db-wal"]);
  expect(readdirSync(scratch)).toEqual([]);
});

it("tests constraints on a copy and rolls everything back", () => {
  make(["CREATE TABLE t (a INTEGER NOT NULL UNIQUE, b DEFAULT 7)"]);
  const tried: SqliteCheck = {
    id: "tried",
    scratch: [
      { run: "INSERT INTO t (a) VALUES (1)", outcome: "accepted" },
      { run: "INSERT INTO t (a) VALUES (1)", outcome: "refused" },
      { rows: "SELECT * FROM t", is: [{ a: 1, b: 7 }] },
    ],
  };
  expect(inspect(tried, { id: "after", rows: "SELECT * FROM t", is: [] })).toEqual([]);
  expect(
    inspect({ id: "loose", scratch: [{ run: "INSERT INTO t (a) VALUES ('x')", outcome: "refused" }] }),
  ).toMatchObject([{ check: "loose", got: suiteText("accepted") }]);
  expect(inspect({ id: "wrong", scratch: [{ run: "INSERT INTO none VALUES (1)", outcome: "refused" }] })).toMatchObject(
    [{ check: "wrong", got: suiteText("no such table: none") }],
  );
});

it("reads columns, tables, indexes and foreign keys whatever their spelling", () => {
  make([
    'CREATE TABLE "parent" ("id" INTEGER PRIMARY KEY)',
    "CREATE TABLE child (p int references PARENT, x text)",
    "CREATE INDEX both ON child (x, p)",
  ]);
  expect(
    inspect(
      { id: "columns", columns: "child", has: ["p"], lacks: ["level"], is: ["p", "x"] },
      { id: "tables", tables: true, has: ["parent"], is: ["child", "parent"] },
      { id: "index", indexes: "child", at: "/both", is: ["x", "p"] },
      { id: "keys", foreign_keys: "child", is: [{ from: "p", table: "PARENT", to: "id" }] },
    ),
  ).toEqual([]);
  expect(inspect({ id: "columns", columns: "child", has: ["y"], lacks: ["x"] })).toHaveLength(2);
  expect(inspect({ id: "no-index", indexes: "child", at: "/none", is: ["x"] })).toMatchObject([
    { check: "no-index", got: undefined },
  ]);
});

it("reports a missing file and a file that is not a database as differences", () => {
  expect(inspect({ id: "x", tables: true })).toMatchObject([{ wanted: "the file x.db" }]);
  provideFile({ put: "x.db", text: "some text that is longer than a header of SQLite" }, directory, scratch);
  expect(inspect({ id: "x", tables: true })).toMatchObject([
    { check: "soundness", got: suiteText("file is not a database") },
  ]);
});

it("provides text with CRLF and bytes, and lists files by their paths", () => {
  provideFile({ put: "deep/a.txt", text: "1\n2\n", newline: "crlf" }, directory, scratch);
  provideFile({ put: "b.bin", base64: "AAE=" }, directory, scratch);
  expect(inspectText("deep/a.txt", "1\r\n2\r\n", scope())).toEqual([]);
  expect(inspectFiles(undefined, ["b.bin", "deep/a.txt"], scope())).toEqual([]);
  expect(inspectFiles("deep", [], scope())).toHaveLength(1);
  expect(inspectFiles("nowhere", [], scope())).toEqual([]);
});

it("gives a file a second name, and reports that there is no such file", () => {
  expect(provideFile({ put: "second.txt", link: "first.txt" }, directory, scratch)).toEqual([
    { at: "", wanted: "the file first.txt", got: undefined },
  ]);
  provideFile({ put: "first.txt", text: "one" }, directory, scratch);
  expect(provideFile({ put: "second.txt", link: "first.txt" }, directory, scratch)).toEqual([]);
  provideFile({ put: "first.txt", text: "two" }, directory, scratch);
  expect(inspectText("second.txt", "two", scope())).toEqual([]);
});

it("provides permissions and symbolic links, and inspects permissions", ON_POSIX, () => {
  provideFile({ put: "a.txt", text: "a", mode: "640" }, directory, scratch);
  provideFile({ put: "b.txt", symlink: "a.txt" }, directory, scratch);
  expect(inspectMode("a.txt", "640", scope())).toEqual([]);
  expect(inspectMode("a.txt", "600", scope())).toMatchObject([{ wanted: '"600"', got: "640" }]);
  expect(inspectMode("none.txt", "600", scope())).toMatchObject([{ wanted: "the file none.txt" }]);
  expect(inspectText("b.txt", "a", scope())).toEqual([]);
});

it("holds the lock of a writer for a moment, in another process", async () => {
  make(["CREATE TABLE t (a)"]);
  expect((await lockDatabase("none.db", directory)).findings).toMatchObject([{ wanted: "the file none.db" }]);
  const { findings, release } = await lockDatabase("x.db", directory);
  expect(findings).toEqual([]);
  const database = new Database(join(directory, "x.db"), { timeout: 0 });
  try {
    expect(() => database.exec("INSERT INTO t VALUES (1)")).toThrow("database is locked");
    expect(database.prepare("SELECT * FROM t").all()).toEqual([]);
    await release();
    database.exec("BEGIN IMMEDIATE");
    const wanted = "a database that another program can write";
    const refused = await lockDatabase("x.db", directory);
    expect(refused.findings).toEqual([{ at: "", wanted, got: suiteText("database is locked") }]);
    await refused.release();
  } finally {
    database.close();
  }
});

it("holds the lock until the request to release it, or for the longest time", async () => {
  make(["CREATE TABLE t (a)"]);
  const { release } = await lockDatabase("x.db", directory, PATIENCE_MS);
  const impatient = new Database(join(directory, "x.db"), { timeout: 0 });
  const patient = new Database(join(directory, "x.db"), { timeout: PATIENCE_MS });
  try {
    expect(() => impatient.exec("INSERT INTO t VALUES (1)")).toThrow("database is locked");
    await release();
    impatient.exec("INSERT INTO t VALUES (1)");
    const second = await lockDatabase("x.db", directory, 1);
    patient.exec("INSERT INTO t VALUES (2)");
    await second.release();
    expect(impatient.prepare("SELECT a FROM t").pluck().all()).toEqual([1, 2]);
  } finally {
    impatient.close();
    patient.close();
  }
});
