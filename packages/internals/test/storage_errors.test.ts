import { mkdirSync } from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, test } from "vitest";
import { freshFolder } from "../../../test/fresh_folder.ts";
import { markCallerError } from "../src/errors/caller_errors.ts";
import { type PerduraError, StorageError, ValidationError } from "../src/errors/errors.ts";
import {
  trackUncertainCommit,
  markUncertain,
  isUncertain,
  storageErrorOf,
  withStorage,
} from "../src/files/storage_errors.ts";

const ofSqlite = (code: string): Error => new Database.SqliteError("what SQLite says", code);

test.each([
  ["SQLITE_BUSY", "PERDURA_BUSY", "/d: another process held the database for longer than the busy time-out."],
  ["SQLITE_BUSY_SNAPSHOT", "PERDURA_BUSY", "Nothing was written. Try again when that process has finished."],
  ["SQLITE_LOCKED", "PERDURA_BUSY", "/d: another process"],
  ["SQLITE_LOCKED_SHAREDCACHE", "PERDURA_BUSY", "/d: another process"],
  ["SQLITE_NOTADB", "PERDURA_CORRUPT_DATA", "/d: not an SQLite database. No stored data was changed."],
  [
    "SQLITE_CORRUPT",
    "PERDURA_CORRUPT_DATA",
    "/d: the database is damaged (what SQLite says). No stored data was changed.",
  ],
  ["SQLITE_CORRUPT_INDEX", "PERDURA_CORRUPT_DATA", "/d: the database is damaged"],
  ["SQLITE_FULL", "PERDURA_STORAGE", "/d: saving failed: "],
  ["SQLITE_IOERR_WRITE", "PERDURA_STORAGE", "No stored data was changed."],
])("%s becomes %s, with the file and what is unchanged", (code, ours, words) => {
  const cause = ofSqlite(code);
  const error = storageErrorOf(cause, "/d", "saving");
  expect(error).toMatchObject({ code: ours, path: "/d", mayBeWritten: false, cause });
  expect((error as Error).message).toContain(words);
});

test("an exceeded quota is named, although Node.js has no name for it", () => {
  const cause = Object.assign(new Error("UNKNOWN: unknown error, write"), {
    code: "UNKNOWN",
    errno: -constants.errno.EDQUOT,
    syscall: "write",
  });
  expect((storageErrorOf(cause, "/d", "saving") as Error).message).toBe(
    "/d: saving failed: EDQUOT: disk quota exceeded. No stored data was changed.",
  );
});

test("a failed read has no text about changes", () => {
  const messages = ["SQLITE_IOERR_READ", "SQLITE_BUSY"].map(
    (code) => (storageErrorOf(ofSqlite(code), "/d", "loading") as Error).message,
  );
  expect(messages).toEqual([
    "/d: loading failed: what SQLite says.",
    "/d: another process held the database for longer than the busy time-out. Try again when that process has finished.",
  ]);
});

test("errors of the operating system and a missing directory become errors that name the file", () => {
  const directory = freshFolder();
  expect(() => withStorage(directory, "making it", () => mkdirSync(directory))).toThrow(
    expect.objectContaining({
      code: "PERDURA_STORAGE",
      message: expect.stringMatching(/: making it failed: EEXIST.*\. No stored data was changed\.$/) as string,
    }),
  );
  const gone = join(directory, "gone", "metrics.db");
  expect(() => withStorage(gone, "opening", () => new Database(gone))).toThrow(
    expect.objectContaining({
      code: "PERDURA_STORAGE",
      path: gone,
      message: expect.stringMatching(/gone\/metrics\.db: opening failed: .*directory does not exist\. No/) as string,
    }),
  );
});

test("errors that do not come from the storage are returned unchanged", () => {
  const own = new ValidationError("wrong");
  const withCode = Object.assign(new Error("of the caller"), { code: "MINE" });
  const others = [own, withCode, Object.assign(new Error("x"), { code: 5, syscall: "open" }), new TypeError("y"), "z"];
  for (const error of [...others, undefined]) expect(storageErrorOf(error, "/d", "saving")).toBe(error);
  const otherKind = new Error("the directory does not exist");
  expect(storageErrorOf(otherKind, "/d", "saving")).toBe(otherKind);
});

test("an I/O error during a commit makes it and all errors caused by it uncertain", () => {
  const failing = ofSqlite("SQLITE_IOERR_FSYNC");
  expect(() =>
    trackUncertainCommit(() => {
      throw failing;
    }),
  ).toThrow(failing);
  expect(trackUncertainCommit(() => 5)).toBe(5);
  const made = storageErrorOf(failing, "/d", "saving") as PerduraError;
  expect(made.message).toBe(
    "/d: saving failed: what SQLite says. The commit may have succeeded. Check before retrying.",
  );
  expect(made.mayBeWritten).toBe(true);
  expect([failing, made, new StorageError("outer", { cause: made })].map(isUncertain)).toEqual([true, true, true]);
});

test("no other error is uncertain", () => {
  const full = markUncertain(ofSqlite("SQLITE_FULL"));
  const withoutCode = markUncertain(new Error("SQLITE_IOERR"));
  const strange = markUncertain(Object.assign(new Error("x"), { code: 10 }));
  const wrapped = new Error("foreign", { cause: markUncertain(ofSqlite("SQLITE_IOERR")) });
  for (const error of [full, withoutCode, strange, wrapped, undefined, null, "x"])
    expect(isUncertain(error)).toBe(false);
});

test("an uncertain commit of the caller's code is not uncertain for ours", () => {
  const made = storageErrorOf(markUncertain(ofSqlite("SQLITE_IOERR")), "/theirs", "recording");
  expect(isUncertain(made)).toBe(true);
  expect(isUncertain(markCallerError(made))).toBe(false);
});
