import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { assertDocumentPlace, assertWritablePlace } from "../../src/files/places.ts";
import { openDatabase } from "../../src/sqlite/open_database.ts";
import { freshFolder } from "../../../../test/fresh_folder.ts";
import { openFilesIn } from "./open_files_in.ts";
import { ON_LINUX } from "../../../../test/needs.ts";

/** Stderr of another process that tries to write to a database without waiting. */
function writerElsewhere(path: string): string {
  const program = `new (require("node:sqlite").DatabaseSync)(process.argv[1]).exec("BEGIN IMMEDIATE")`;
  return spawnSync(process.execPath, ["--no-warnings", "-e", program, path], { encoding: "utf8" }).stderr;
}

test("checking a database that is open in this process keeps its locks", () => {
  const path = join(freshFolder(), "m.db");
  const database = openDatabase(path, { intent: "record" });
  database.exec("PRAGMA journal_mode = DELETE; CREATE TABLE t (a); BEGIN IMMEDIATE");
  expect(writerElsewhere(path)).toContain("database is locked");
  expect(() => assertDocumentPlace("filepath", path)).toThrow(/^filepath: .* is an SQLite database/);
  expect(writerElsewhere(path)).toContain("database is locked");
  database.exec("ROLLBACK");
  database.close();
  expect(writerElsewhere(path)).toBe("");
});

test("closes a checked file", ON_LINUX, () => {
  const folder = freshFolder();
  for (const content of ["", "text", "SQLite format 3\0", "SQLite format 3\0 and more", "x".repeat(100)]) {
    const path = join(folder, "file");
    writeFileSync(path, content);
    const isDatabase = content.startsWith("SQLite format 3\0");
    const look = (): void => assertDocumentPlace("filepath", path);
    if (isDatabase) expect(look).toThrow(expect.objectContaining({ path, name: "ValidationError" }));
    else look();
    expect(openFilesIn(folder)).toBe(0);
  }
});

test("names the argument and the file or directory in the way", () => {
  const folder = freshFolder();
  mkdirSync(join(folder, "folder"));
  writeFileSync(join(folder, "file"), "");
  const at = (name: string) => (): void => assertWritablePlace("dbPath", join(folder, name));
  expect(at("none/a")).toThrow(expect.objectContaining({ name: "FileNotFoundError", path: join(folder, "none") }));
  expect(at("file/a")).toThrow(/^dbPath: the directory .*file does not exist/);
  expect(at("folder")).toThrow(expect.objectContaining({ name: "ValidationError", path: join(folder, "folder") }));
  at("file")();
  at("new")();
  expect(() => assertDocumentPlace("filepath", 5)).toThrow(/^filepath: expected a file path, got 5\./);
  const tooLong = "x".repeat(300);
  expect(at(tooLong)).toThrow(`${tooLong}: looking at it failed: ENAMETOOLONG`);
  expect(() => assertDocumentPlace("filepath", join(folder, "a\0b"))).toThrow("expected a file path");
});
