import { expect, test } from "vitest";
import { auditRollup } from "../../src/metrics/rollup/audit.ts";
import { addRows, asked, newPath, SMALL } from "./databases.ts";

function folded(): ReturnType<typeof asked> {
  const found = asked(newPath(), SMALL);
  addRows(found.database, 30);
  found.rollup.foldAll();
  return found;
}

test("an unchanged rollup matches the rows, and a missing one is not audited", () => {
  const { database } = folded();
  expect(auditRollup(database, "level")).toEqual({ users: 3, differences: [] });
  // The audit does not cover rows above the watermark and those of stale users.
  database.exec(
    "DELETE FROM interactions WHERE id = 4; INSERT INTO interactions (user_id, level, success) VALUES ('d', 1, 1)",
  );
  expect(auditRollup(database, "level")).toEqual({ users: 3, differences: [] });
  expect(auditRollup(asked(newPath()).database, "level")).toBeUndefined();
});

const TAMPERED = [
  "operations",
  "successes",
  "measured",
  "ms",
  "ms_lost",
  "current_level",
  ...[1, 2, 3, 4, 5].map((level) => `level_${level}_count`),
];

test.for(TAMPERED)("finds a wrong %s of a user", (column) => {
  const { database } = folded();
  database.exec(`UPDATE perdura_user_rollup SET ${column} = ${column} + 1 WHERE user_id = 'b'`);
  expect(auditRollup(database, "level")?.differences).toContain('the totals of the user "b" differ from the rows');
});

test.for(["first_use", "last_use"])("finds a wrong %s of a user", (column) => {
  const { database } = folded();
  database.exec(`UPDATE perdura_user_rollup SET ${column} = '2000-01-01 00:00:00' WHERE user_id = 'c'`);
  expect(auditRollup(database, "level")?.differences).toEqual(['the totals of the user "c" differ from the rows']);
});

test.for(["first_day = first_day + 1", "last_day = last_day - 1", "first_day = NULL", "longest_gap = 1"])(
  "finds wrong days of a user: %s",
  (change) => {
    const { database, rollup } = asked(newPath(), SMALL);
    database.exec(`WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 10)
      INSERT INTO interactions (user_id, level, success, timestamp)
      SELECT 'b', 1, 1, datetime('2026-01-01', (2 * n) || ' days') FROM numbers`);
    rollup.foldAll();
    expect(auditRollup(database, "level")?.differences).toEqual([]);
    database.exec("UPDATE perdura_user_rollup SET longest_gap = 5");
    expect(auditRollup(database, "level")?.differences).toEqual([]);
    database.exec(`UPDATE perdura_user_rollup SET ${change}`);
    expect(auditRollup(database, "level")?.differences).toEqual(['the days of the user "b" differ from the rows']);
  },
);

const TAMPERED_DAYS = [
  "operations",
  "successes",
  "measured",
  "ms",
  "ms_lost",
  "first_id",
  "last_id",
  ...[1, 2, 3, 4, 5].map((level) => `level_${level}_count`),
];

test.for([...TAMPERED_DAYS, "trust_add", "trust_low", "trust_high", "first_second", "last_second"])(
  "finds a wrong %s of a day of a user",
  (column) => {
    const { database } = folded();
    database.exec(`UPDATE perdura_user_days SET ${column} = ${column} + 1 WHERE user_id = 'b'`);
    expect(auditRollup(database, "level")?.differences).toContain('the days of the user "b" differ from the rows');
  },
);

test.for(TAMPERED_DAYS.filter((column) => column !== "last_id"))("finds a wrong %s of a day", (column) => {
  const { database } = folded();
  database.exec(`UPDATE perdura_days SET ${column} = ${column} + 1`);
  const [day] = database.prepare("SELECT day FROM perdura_days").pluck().all();
  expect(auditRollup(database, "level")?.differences).toEqual([
    `the total of the day ${String(day)} differs from those of the users`,
  ]);
});

test("finds missing and additional days", () => {
  const { database } = folded();
  const [day] = database.prepare("SELECT day FROM perdura_days").pluck().all();
  database.exec("UPDATE perdura_days SET day = '2000-01-01'");
  expect(auditRollup(database, "level")?.differences).toEqual([
    "the total of the day 2000-01-01 differs from those of the users",
    `the total of the day ${String(day)} differs from those of the users`,
  ]);
  const other = folded().database;
  other.exec("UPDATE perdura_user_days SET user_id = 'z' WHERE user_id = 'a'");
  expect(auditRollup(other, "level")?.differences).toEqual([
    'the days of the user "a" differ from the rows',
    'the days of the user "z" differ from the rows',
  ]);
});

test("a wrong last_id of a day is only a wider limit, unless it is too low", () => {
  const { database } = folded();
  database.exec("UPDATE perdura_days SET last_id = last_id + 1");
  expect(auditRollup(database, "level")?.differences).toEqual([]);
  database.exec("UPDATE perdura_days SET last_id = last_id - 2");
  expect(auditRollup(database, "level")?.differences).toHaveLength(1);
});

test("finds missing and additional users, and wrong totals", () => {
  const { database } = folded();
  database.exec("DELETE FROM perdura_user_rollup WHERE user_id = 'a'");
  expect(auditRollup(database, "level")?.differences).toEqual([
    'the totals of the user "a" differ from the rows',
    "the total of all users has 30 rows, the users together have 20",
    "the total of all users has 15 successes, the users together have 10",
    "the total of all users has 3 users, the users together have 2",
  ]);
  const other = folded().database;
  other.exec("UPDATE perdura_user_rollup SET user_id = 'z' WHERE user_id = 'a'");
  expect(auditRollup(other, "level")?.differences).toEqual([
    'the totals of the user "a" differ from the rows',
    'the totals of the user "z" differ from the rows',
    'the days of the user "z" differ from the rows',
  ]);
});

test.for([10, 11, 12])("names ten of %d users with wrong sums", (users) => {
  const { database, rollup } = asked(newPath(), SMALL);
  const insert = database.prepare("INSERT INTO interactions (user_id, level, success) VALUES (?, 1, 1)");
  for (let user = 0; user < users; user += 1) insert.run(`u${String(user).padStart(2, "0")}`);
  rollup.foldAll();
  database.exec("UPDATE perdura_user_rollup SET current_level = 5");
  expect(auditRollup(database, "level")?.differences).toEqual([
    ...Array.from({ length: 10 }, (_, user) => `the totals of the user "u0${user}" differ from the rows`),
    ...(users > 10 ? [`the totals of ${users - 10} more users differ`] : []),
  ]);
});

test("does not audit a database with a row that triggers cannot see", () => {
  const { database } = folded();
  database.exec("INSERT INTO interactions (id, user_id, level, success) VALUES (-1, 'a', 1, 1)");
  expect(auditRollup(database, "level")).toBeUndefined();
});
