import { expect, it, test } from "vitest";
import { addRows, asked, newPath } from "./databases.ts";
import { differences } from "./compare.ts";

const insert = (id: string, values: string, how = "INSERT"): string =>
  `${how} INTO interactions (id, user_id, level, success, response_time_ms, timestamp) VALUES (${id}, ${values})`;
const Z = "'z', 2, 1, 7.5, '2020-01-01 00:00:00'";
/** A change by another program after which new rows get low ids. */
const RESET = "UPDATE sqlite_sequence SET seq = 0";
const ORDINARY = `${insert("NULL", Z)}; ${insert("NULL", Z)}; ${insert("NULL", Z)}`;

// There are 30 folded rows: ids 1 to 30, users a, b, c in turn.
test.each([
  ["a row replaced", insert("3", Z, "INSERT OR REPLACE")],
  ["the newest folded row replaced", insert("30", Z, "INSERT OR REPLACE")],
  ["a row in a gap", `DELETE FROM interactions WHERE id = 3; ${insert("3", Z)}`],
  ["rows below all others", `${insert("-7", Z)}; ${insert("0", Z)}; ${insert("-9223372036854775808", Z)}`],
  ["a row moved to another user", "UPDATE interactions SET user_id = 'b' WHERE id = 1"],
  ["a row moved to a new user", "UPDATE interactions SET user_id = 'z' WHERE id = 1"],
  ["a row moved up", "UPDATE interactions SET id = 100 WHERE id = 5"],
  ["a row moved up, to another user", "UPDATE interactions SET id = 100, user_id = 'z' WHERE id = 5"],
  ["a row moved onto another", "UPDATE OR REPLACE interactions SET id = 5 WHERE id = 6"],
  ["a new row moved onto a folded one", `${insert("31", Z)}; UPDATE OR REPLACE interactions SET id = 5 WHERE id = 31`],
  ["one user changed twice", "UPDATE OR FAIL interactions SET level = 1, success = 0 WHERE user_id = 'a'"],
  ["a row deleted", "DELETE FROM interactions WHERE id = 4"],
  ["a user deleted", "DELETE FROM interactions WHERE user_id = 'a'"],
  ["all rows deleted", "DELETE FROM interactions"],
  [
    "the highest rows deleted, and their ids used again",
    `DELETE FROM interactions WHERE id > 28; ${RESET}; ${ORDINARY}`,
  ],
  ["all rows deleted, and their ids used again", `DELETE FROM interactions; ${RESET}; ${ORDINARY}`],
  [
    "the highest row moved down, and its id used again",
    `DELETE FROM interactions WHERE id = 2; UPDATE interactions SET id = 2 WHERE id = 30; ${RESET}; ${ORDINARY}`,
  ],
  ["a row with the id -1", insert("-1", Z)],
  ["a row with the id -1 moved up", `${insert("-1", Z)}; UPDATE OR REPLACE interactions SET id = 7 WHERE id = -1`],
  ["a row without a user that is ignored", insert("3", "NULL, 1, 1, 1, 1", "INSERT OR IGNORE")],
  ["negative times", insert("NULL", "'a', 1, 1, -5e15, 1") + `; ${insert("NULL", "'a', 1, 1, 5e15, 1")}`],
  ["infinite times", insert("NULL", "'a', 1, 1, 9e999, 1")],
  [
    "times whose sum overflows",
    `${insert("NULL", "'a', 1, 1, 1.7e308, 1")}; ${insert("NULL", "'a', 1, 1, 1.7e308, 1")}`,
  ],
  [
    "ids beyond the safe integers of JavaScript",
    `${insert("9007199254740993", Z)}; ${insert("9007199254740995", Z)}; ${insert("9223372036854775807", Z)}`,
  ],
  [
    "times of day of every type",
    `${insert("NULL", "'a', 1, 1, 1, 5")}; ${insert("NULL", "'a', 1, 1, 1, x'00'")}; ${insert("NULL", "'a', 6, 1, 1, NULL")}`,
  ],
  [
    "users of every type",
    `${insert("NULL", "x'61', 1, 1, 1, 1")}; ${insert("NULL", "5, 1, 1, 1, 1")}; ${insert("3", "x'ff', 1, 1, 1, 1", "REPLACE")}`,
  ],
])("%s: statistics equal those of all rows before and after folding", (_what, sql) => {
  const { database, rollup, allRows } = asked(newPath());
  addRows(database, 30);
  rollup.foldAll();
  database.exec(sql);
  for (let round = 0; round < 3; round += 1) {
    expect(differences(rollup, allRows, ["z"])).toEqual([]);
    rollup.foldAll();
    expect(differences(rollup, allRows, ["z"])).toEqual([]);
    // The row that was inserted unnoticed is deleted, and must leave no trace.
    database.exec("DELETE FROM interactions WHERE id = -1");
    if (!sql.includes("9223372036854775807")) addRows(database, 3);
  }
});

it("a refused write of another program still names its own table", () => {
  const { database, rollup } = asked(newPath());
  addRows(database, 30);
  rollup.foldAll();
  expect(() => database.exec(insert("3", "NULL, 1, 1, 1, 1", "INSERT OR REPLACE"))).toThrow("interactions.user_id");
});

it("a row with the id -1, which no trigger sees, is never folded", () => {
  const { database, rollup, allRows } = asked(newPath());
  addRows(database, 30);
  rollup.foldAll();
  database.exec(`${insert("-1", "'a', 1, 1, 1, 1")}; UPDATE interactions SET level = 2 WHERE user_id = 'a' AND id > 0`);
  rollup.foldAll();
  database.exec(`${insert("-1", "'b', 1, 1, 1, 1", "INSERT OR REPLACE")}; DELETE FROM interactions WHERE id = -1`);
  expect(differences(rollup, allRows)).toEqual([]);
});

it("counts a row with the id -1 at once if the user's other rows are folded", () => {
  const { database, rollup, allRows } = asked(newPath());
  addRows(database, 30);
  rollup.foldAll();
  expect(rollup.user("a").total_operations).toBe(10);
  database.exec(insert("-1", "'a', 1, 1, 1, 1"));
  expect(rollup.user("a").total_operations).toBe(11);
  expect(differences(rollup, allRows)).toEqual([]);
});

it("counts an earlier row with the lowest possible id", () => {
  const { database, rollup, allRows } = asked(newPath());
  addRows(database, 30);
  database.exec(insert("-9223372036854775808", Z));
  expect(differences(rollup, allRows)).toEqual([]);
  rollup.foldAll();
  expect(differences(rollup, allRows)).toEqual([]);
});

test.each([
  ["times that cancel each other", "'z', 1, 1, 1e16, 1", "'z', 1, 1, 0.3, 1", "'z', 1, 1, -1e16, 1"],
  ["a newest row without a level", "'z', 1, 1, 1, 1", "'z', 4, 1, 1, 1", "'z', 9, 1, 1, 1"],
  ["rows without a time of day", "'z', 1, 1, 1, NULL", "'z', 1, 1, 1, NULL", "'z', 1, 1, 1, 5"],
])("%s: statistics stay right when the last row is folded separately", (_what, first, second, third) => {
  const { database, rollup, allRows } = asked(newPath());
  addRows(database, 30);
  rollup.foldAll();
  database.exec(`${insert("NULL", first)}; ${insert("NULL", second)}`);
  rollup.foldAll();
  database.exec(insert("NULL", third));
  rollup.foldAll();
  expect(differences(rollup, allRows)).toEqual([]);
});

test("folding small times one by one into a large sum loses no precision", () => {
  const { database, rollup, allRows } = asked(newPath());
  addRows(database, 30);
  database.exec(insert("NULL", "'z', 1, 1, 1e16, 1"));
  for (let row = 0; row < 15; row += 1) {
    rollup.foldAll();
    database.exec(insert("NULL", "'z', 1, 1, 1, 1"));
  }
  for (const way of ["before the last row is folded", "after all rows are folded"]) {
    expect(rollup.user("z").avg_response_time_ms, way).toBe((1e16 + 15) / 16);
    expect(differences(rollup, allRows), way).toEqual([]);
    rollup.foldAll();
  }
});
