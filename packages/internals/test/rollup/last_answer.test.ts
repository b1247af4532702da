import Sqlite from "better-sqlite3";
import { describe, expect, it, onTestFinished, test } from "vitest";
import { LastAnswer } from "../../src/metrics/rollup/last_answer.ts";
import type { Database } from "../../src/sqlite/open_database.ts";
import { addRows, type Asked, asked, fake, newPath } from "./databases.ts";

/** A database with all rows folded and a cached answer for user "a", and another program's connection to it. */
function kept(): Asked & { other: Database } {
  const path = newPath();
  const { database, rollup, allRows } = asked(path);
  addRows(database, 30);
  rollup.foldAll();
  for (let time = 0; time < 3; time += 1) expect(rollup.user("a")).toEqual(allRows.user("a"));
  const other = new Sqlite(path);
  onTestFinished(() => void other.close());
  return { database, rollup, allRows, other };
}

it("changing a returned answer does not affect the next one", () => {
  const { rollup, allRows } = kept();
  rollup.user("a").total_operations = 77;
  expect(rollup.user("a")).toEqual(allRows.user("a"));
});

it("each user has a separate answer", () => {
  const { rollup, allRows } = kept();
  for (const user of ["b", "b", "b", "nobody", "nobody", "a"]) expect(rollup.user(user)).toEqual(allRows.user(user));
});

test.each([
  ["inserts a row", "INSERT INTO interactions (user_id, level, success) VALUES ('a', 1, 1)"],
  ["updates a row", "UPDATE interactions SET level = 5 WHERE id = 1"],
  ["moves another user's row to the user", "UPDATE interactions SET user_id = 'a' WHERE id = 2"],
  ["deletes a row", "DELETE FROM interactions WHERE id = 1"],
  ["deletes all rows", "DELETE FROM interactions"],
  ["drops a trigger", "DROP TRIGGER perdura_rollup_update; UPDATE interactions SET level = 5"],
  ["drops the tables of the rollup", "DROP TABLE perdura_user_rollup; DROP TRIGGER perdura_rollup_update"],
])("the next answers are right after another connection %s", (_what, sql) => {
  const { rollup, allRows, other } = kept();
  other.exec(sql);
  for (let time = 0; time < 3; time += 1) expect(rollup.user("a")).toEqual(allRows.user("a"));
});

it("the next answer is right after this connection records", () => {
  const { rollup, allRows, database } = kept();
  addRows(database, 1);
  expect(rollup.user("a")).toEqual(allRows.user("a"));
});

it("an answer in a transaction that is rolled back is not kept", () => {
  const { rollup, allRows, database } = kept();
  database.exec("BEGIN");
  fake(database);
  for (let time = 0; time < 3; time += 1) expect(rollup.user("a").total_operations).toBe(999);
  database.exec("ROLLBACK");
  expect(rollup.user("a")).toEqual(allRows.user("a"));
});

describe("the last answer is computed", () => {
  /** Asks about a user, and returns the number of look-ups for it. */
  function counted(): { lookUps: (userId: string) => number; database: Database } {
    const { database, allRows } = asked(newPath());
    addRows(database, 30);
    const last = new LastAnswer(database);
    const lookUps = (userId: string): number => {
      let count = 0;
      const answer = last.of(userId, () => {
        count += 1;
        return allRows.user(userId);
      });
      expect(answer).toEqual(allRows.user(userId));
      return count;
    };
    return { lookUps, database };
  }

  it("for the first two consecutive questions about a user, and then reused", () => {
    const { lookUps } = counted();
    expect(["a", "a", "a", "a", "b", "a", "a", "a"].map(lookUps)).toEqual([1, 1, 0, 0, 1, 1, 1, 0]);
  });

  it("again after rows were changed", () => {
    const { lookUps, database } = counted();
    expect(["a", "a", "a"].map(lookUps)).toEqual([1, 1, 0]);
    addRows(database, 1);
    expect(["a", "a"].map(lookUps)).toEqual([1, 0]);
  });

  it("for each question in a transaction, and is not kept", () => {
    const { lookUps, database } = counted();
    const last = new LastAnswer(database);
    const look = (): undefined => expect.unreachable();
    database.exec("BEGIN");
    expect(last.of("a", () => undefined)).toBeUndefined();
    for (let time = 0; time < 3; time += 1) expect(last.of("a", look)).toBeUndefined();
    database.exec("ROLLBACK");
    expect(["a", "a", "a"].map(lookUps)).toEqual([1, 1, 0]);
  });

  it("for each question while there is no answer", () => {
    const { database } = counted();
    const last = new LastAnswer(database);
    let count = 0;
    for (let time = 0; time < 3; time += 1) expect(last.of("a", () => void (count += 1))).toBeUndefined();
    expect(count).toBe(3);
  });
});
