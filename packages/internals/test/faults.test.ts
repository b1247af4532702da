import { closeSync, openSync, writeSync } from "node:fs";
import { faultsOf } from "@perdura/internals/sqlite/faults.js";
import Database from "better-sqlite3";
import { expect, onTestFinished, test } from "vitest";
import { newPath } from "./rollup/databases.ts";

function made(...statements: string[]): string {
  const path = newPath();
  const database = new Database(path);
  database.unsafeMode(true);
  for (const statement of statements) database.exec(statement);
  database.close();
  return path;
}

function look(path: string, most: number): string[] {
  const database = new Database(path, { readonly: true });
  onTestFinished(() => void database.close());
  return faultsOf(database, most);
}

/** A table with three rows that violate its own constraint. */
const UNFIT = [
  `CREATE TABLE "unusual ""name" (x)`,
  `INSERT INTO "unusual ""name" VALUES (NULL), (NULL), (NULL)`,
  "PRAGMA writable_schema = ON",
  "UPDATE sqlite_schema SET sql = replace(sql, '(x)', '(x NOT NULL)') WHERE name LIKE 'unusual%'",
];
const EXTENSION = "CREATE VIRTUAL TABLE sought USING fts5(q)";

test.each([
  ["ordinary tables only", UNFIT],
  ["a table of an extension", [EXTENSION, ...UNFIT]],
])("returns at most the requested number of faults, with %s", (_, statements) => {
  const path = made(...statements);
  expect(look(path, 2)).toEqual(Array(2).fill('NULL value in unusual "name.x'));
  expect(look(path, 3)).toEqual(Array(3).fill('NULL value in unusual "name.x'));
  expect(look(path, 10)).toEqual(Array(3).fill('NULL value in unusual "name.x'));
});

test("checks the list of free pages, also with tables of extensions", () => {
  for (const extension of ["", EXTENSION]) {
    const path = made(extension, "CREATE TABLE gone (x)", "CREATE TABLE kept (x)", "DROP TABLE gone");
    const file = openSync(path, "r+");
    // The number of free pages, in the header.
    writeSync(file, Buffer.from([0, 0, 0, 9]), 0, 4, 36);
    closeSync(file);
    expect(look(path, 10)).toEqual([expect.stringContaining("Freelist: size is 1 but should be 9")]);
  }
});

test("finds unused pages if all tables are ordinary", () => {
  const lost = [
    "CREATE TABLE lost (x)",
    "PRAGMA writable_schema = ON",
    "DELETE FROM sqlite_schema WHERE name = 'lost'",
  ];
  expect(look(made(...lost), 10)).toEqual([expect.stringContaining("Page 2: never used")]);
  expect(look(made(EXTENSION, ...lost), 10)).toEqual([]);
});
