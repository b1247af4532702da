import { closeSync, openSync, writeSync } from "node:fs";
import Database from "better-sqlite3";
import { expect, test } from "vitest";
import { leftoversOf } from "../../src/sqlite/leftovers.ts";
import { newPath } from "../rollup/databases.ts";

/** A database whose page 2, the one of a table with a row, has these bytes where no row is: found at random in real ones. */
function withBytes(at: number, bytes: Buffer): string {
  const path = newPath();
  const database = new Database(path);
  database.exec("PRAGMA page_size = 4096; CREATE TABLE notes (note TEXT); INSERT INTO notes VALUES ('kept')");
  database.close();
  const file = openSync(path, "r+");
  writeSync(file, bytes, 0, bytes.length, 4096 + at);
  closeSync(file);
  return path;
}

test("takes places of removed rows, also after zeros, for nothing", () => {
  expect(leftoversOf(withBytes(14, Buffer.from("01d001d00f00", "hex")), "").pages).toEqual(new Map());
});

test("finds parts of removed rows, and tells those with the text apart", () => {
  const path = withBytes(1000, Buffer.from("note of alice"));
  expect(leftoversOf(path, "alice").pages).toEqual(new Map([[2, true]]));
  expect(leftoversOf(path, "bob").pages).toEqual(new Map([[2, false]]));
});

test("finds a text that looks like places of rows", () => {
  expect(leftoversOf(withBytes(14, Buffer.from([1, 2, 3, 4])), "\u0001\u0002\u0003").pages).toEqual(
    new Map([[2, true]]),
  );
});
