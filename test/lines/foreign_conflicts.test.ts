import Database from "better-sqlite3";
import { describe, expect, test } from "vitest";
import { COLLECTORS, rowsOf, temporaryDatabase } from "./collectors.ts";

function execute(path: string, sql: string): void {
  const database = new Database(path);
  database.exec(sql);
  database.close();
}

/** A list of users that another program keeps by a trigger, whose conflict clause lets known users pass. */
const LISTS_USERS = `CREATE TABLE people (name TEXT PRIMARY KEY);
  CREATE TRIGGER people_met AFTER INSERT ON interactions BEGIN INSERT OR IGNORE INTO people VALUES (NEW.user_id); END`;

const row = (user: string): object => ({ user_id: user, success: true, response_time_ms: 1, metadata: { a: 1 } });

describe.each(COLLECTORS)("$name", ({ open, write, column }) => {
  const records = (...users: string[]): never => users.map((user) => ({ ...row(user), [column]: 1 })) as never;

  test("keeps the conflict clauses of triggers when it records many rows", () => {
    const path = temporaryDatabase();
    open(path).close();
    execute(path, LISTS_USERS);
    using collector = open(path);
    expect(collector.recordMany(records("ann", "bob", "ann"))).toBe(3);
    expect(rowsOf(path, "SELECT name FROM people ORDER BY name")).toEqual([["ann"], ["bob"]]);
  });

  test("keeps those of triggers that were created after it recorded", async () => {
    const path = temporaryDatabase();
    using collector = open(path);
    collector.recordMany(records("ann", "bob"));
    const writer = collector.writer();
    await Promise.all([write(writer, "ann", true, 1), write(writer, "bob", true, 1)]);
    execute(path, LISTS_USERS);
    collector.recordMany(records("ann", "bob", "ann"));
    await Promise.all([write(writer, "ann", true, 1), write(writer, "cid", true, 1, { a: 1 })]);
    expect(rowsOf(path, "SELECT name FROM people ORDER BY name")).toEqual([["ann"], ["bob"], ["cid"]]);
    expect(rowsOf(path, "SELECT count(*) FROM interactions")).toEqual([[9]]);
  });

  test("keeps those of constraints when it records many rows", () => {
    const path = temporaryDatabase();
    execute(
      path,
      `CREATE TABLE interactions (id INTEGER PRIMARY KEY AUTOINCREMENT, user_id TEXT NOT NULL, ${column} INTEGER NOT NULL,
         success BOOLEAN NOT NULL, response_time_ms REAL, timestamp TIMESTAMP DEFAULT CURRENT_TIMESTAMP,
         UNIQUE (user_id) ON CONFLICT REPLACE)`,
    );
    using collector = open(path);
    collector.recordMany(records("ann", "bob", "ann"));
    expect(rowsOf(path, "SELECT id, user_id FROM interactions ORDER BY id")).toEqual([
      [2, "bob"],
      [3, "ann"],
    ]);
  });

  test("stores none of the rows if one of them fails", () => {
    const path = temporaryDatabase();
    using collector = open(path);
    collector.recordMany(records("ann"));
    execute(path, "CREATE UNIQUE INDEX each_user_once ON interactions (user_id)");
    expect(() => collector.recordMany(records("bob", "cid", "bob"))).toThrow(
      expect.objectContaining({ code: "PERDURA_STORAGE" }),
    );
    expect(rowsOf(path, "SELECT user_id FROM interactions")).toEqual([["ann"]]);
    expect(rowsOf(path, "SELECT count(*) FROM interaction_metadata")).toEqual([[1]]);
  });
});
