import fc from "fast-check";
import { expect, test } from "vitest";
import type { GlobalStats, UserStats } from "../../src/metrics/stats.ts";
import { limitsAmong, type RangeOptions } from "../../src/metrics/time_range.ts";
import { asked, fake, newPath, SMALL } from "../rollup/databases.ts";
import { insert, limit, moment, type Row, rows } from "./random_rows.ts";

const LEVELS = [1, 2, 3, 4, 5] as const;

const text = (seconds: number): string => new Date(seconds * 1000).toISOString().slice(0, 19).replace("T", " ");

const rate = (all: readonly Row[]): number =>
  all.length === 0 ? 0 : all.filter(({ success }) => success).length / all.length;

/** The definition of the statistics of a user, computed in the simplest way. */
function expectedUser(all: readonly Row[]): UserStats {
  const times = all.flatMap(({ ms }) => (ms === null ? [] : [ms]));
  const moments = all.map(({ seconds }) => seconds);
  const newest = all.at(-1);
  return {
    total_operations: all.length,
    success_rate: rate(all),
    avg_response_time_ms: times.length === 0 ? 0 : times.reduce((sum, ms) => sum + ms, 0) / times.length,
    ...(Object.fromEntries(
      LEVELS.map((level) => [`level_${level}_count`, all.filter((each) => each.level === level).length]),
    ) as Record<`level_${(typeof LEVELS)[number]}_count`, number>),
    ...(newest === undefined ? {} : { current_level: newest.level }),
    first_use: all.length === 0 ? null : text(Math.min(...moments)),
    last_use: all.length === 0 ? null : text(Math.max(...moments)),
  };
}

const expectedGlobal = (all: readonly Row[]): GlobalStats => ({
  total_users: new Set(all.map(({ user }) => user)).size,
  total_interactions: all.length,
  success_rate: rate(all),
});

test("all rows, the rollup and the definition give the same statistics between two moments", () => {
  fc.assert(
    fc.property(rows, limit, limit, fc.integer({ min: 0, max: 60 }), (all, since, until, folded) => {
      const { database, rollup, allRows } = asked(":memory:");
      insert(database, all.slice(0, folded));
      rollup.foldAll();
      insert(database, all.slice(folded));
      const range = limitsAmong({ since: moment(since), until: moment(until) });
      const counted = all.filter(({ seconds }) => seconds >= (since ?? -Infinity) && seconds < (until ?? Infinity));
      for (const statistics of [allRows, rollup]) {
        for (const user of ["a", "b", "nobody"]) {
          const expected = expectedUser(counted.filter((each) => each.user === user));
          const found = range === undefined ? statistics.user(user) : statistics.userBetween(user, range);
          expect({ ...found, avg_response_time_ms: 0 }).toEqual({ ...expected, avg_response_time_ms: 0 });
          expect(found.avg_response_time_ms).toBeCloseTo(expected.avg_response_time_ms, 9);
          expect(Object.keys(found)).toEqual(Object.keys(expected));
        }
        expect(range === undefined ? statistics.global() : statistics.globalBetween(range)).toEqual(
          expectedGlobal(counted),
        );
      }
      database.close();
    }),
    { numRuns: 60 },
  );
});

const range = (options: RangeOptions): NonNullable<ReturnType<typeof limitsAmong>> => {
  const checked = limitsAmong(options);
  if (checked === undefined) throw new Error("A limit is needed.");
  return checked;
};

test("the sums of whole days are used", () => {
  const { database, rollup } = asked(newPath());
  const day = Date.UTC(2026, 0, 1) / 1000;
  insert(
    database,
    Array.from({ length: 40 }, (_, each) => ({
      user: "a",
      success: true,
      ms: 1,
      level: 1,
      seconds: day + each * 43_200,
    })),
  );
  rollup.foldAll();
  fake(database);
  database.exec(`UPDATE perdura_user_days SET operations = 100, first_second = 5, last_second = 86399;
    UPDATE perdura_days SET operations = 100`);
  expect(rollup.userBetween("a", range({ since: "2026-01-02", until: "2026-01-04" }))).toMatchObject({
    total_operations: 200,
    first_use: "2026-01-02 00:00:05",
    last_use: "2026-01-03 23:59:59",
  });
  // A day that a limit divides is counted from its rows.
  expect(rollup.userBetween("a", range({ since: "2026-01-02T01:00:00", until: "2026-01-04" }))).toMatchObject({
    total_operations: 101,
    first_use: "2026-01-02 12:00:00",
    last_use: "2026-01-03 23:59:59",
  });
  expect(rollup.globalBetween(range({ since: "2026-01-02T12:00:00", until: "2026-01-04" }))).toMatchObject({
    total_interactions: 101,
    total_users: 1,
  });
});

test("users with days before and after a range are counted without their days in it, unless they may have none", () => {
  const { database, rollup } = asked(newPath());
  const add = database.prepare("INSERT INTO interactions (user_id, level, success, timestamp) VALUES (?, 1, 1, ?)");
  for (const day of ["01", "07", 13, 19, 25]) add.run("often", `2026-01-${day} 10:00:00`);
  for (const day of ["01", 25]) add.run("seldom", `2026-01-${day} 10:00:00`);
  rollup.foldAll();
  const usersOf = (since: string, until: string): number => rollup.globalBetween(range({ since, until })).total_users;
  expect(usersOf("2026-01-08", "2026-01-13")).toBe(0);
  expect(usersOf("2026-01-08", "2026-01-14")).toBe(1);
  expect(usersOf("2026-01-02", "2026-01-25")).toBe(1);
  expect(usersOf("2026-01-02", "2026-01-26")).toBe(2);
  expect(usersOf("2026-01-12T23:00:00", "2026-01-13T11:00:00")).toBe(1);
  database.exec("DELETE FROM perdura_user_days WHERE user_id = 'often'");
  expect(usersOf("2026-01-08", "2026-01-14")).toBe(1);
});

test("a new user counts once, whether all others have a whole day or some have rows of divided days only", () => {
  const { database, rollup, allRows } = asked(newPath());
  const add = database.prepare("INSERT INTO interactions (user_id, level, success, timestamp) VALUES (?, 1, 1, ?)");
  for (const day of ["02", "03", "04"]) add.run("known", `2026-01-${day} 10:00:00`);
  for (const hour of [11, 13, 15]) add.run("brief", `2026-01-05 ${hour}:00:00`);
  rollup.foldAll();
  for (const hour of [11, 12]) add.run("new", `2026-01-03 ${hour}:00:00`);
  for (const [since, until, users] of [
    ["2026-01-02T12:00:00", "2026-01-04T12:00:00", 2],
    ["2026-01-02T12:00:00", "2026-01-05T12:00:00", 3],
    ["2026-01-04", "2026-01-05T12:00:00", 2],
    ["2026-01-05T12:00:00", "2026-01-05T14:00:00", 1],
    ["2026-01-03", "2026-01-06", 3],
  ] as const) {
    const limits = range({ since, until });
    expect([rollup, allRows].map((statistics) => statistics.globalBetween(limits).total_users)).toEqual([users, users]);
  }
});

const UNUSUAL = [
  "2026-01-01 24:00:00",
  "2025-12-33 10:00:00",
  "2026-01-02   00:00Z",
  "2026-01-02 00:00  Z",
  "2026-01-02 00:00Z  ",
  "2026-01-02T00:00:00",
  "2026-01-02 23:59:59.9",
  "2026-01-03 01:30:00+02:00",
  1_767_312_000,
  1_767_312_001.5,
];

test("the first and last time are those of the rows, whatever form the timestamps have", () => {
  const day = range({ since: "2026-01-02", until: "2026-01-03" });
  const parts = [
    ...UNUSUAL,
    "2026-01-02 00:00:00",
    "2026-01-02 12:00:00",
    "2026-02-30 10:00:00",
    "2026-03-02 09:00:00",
  ];
  fc.assert(
    fc.property(fc.shuffledSubarray(parts, { minLength: 1 }), fc.nat(parts.length), (times, folded) => {
      const { database, rollup, allRows } = asked(":memory:", { ...SMALL, threshold: 0, piece: 2 });
      const add = database.prepare(
        "INSERT INTO interactions (user_id, level, success, timestamp) VALUES ('a', 1, 1, ?)",
      );
      for (const time of times.slice(0, folded)) add.run(time);
      rollup.foldAll();
      for (const time of times.slice(folded)) add.run(time);
      for (const asks of [day, range({ since: "2026-03-02" }), range({ since: "2026-01-02T00:00:01" })])
        expect(rollup.userBetween("a", asks)).toEqual(allRows.userBetween("a", asks));
      database.close();
    }),
  );
});

test("interactions without a readable time are left out, and the level is that of the newest id in the range", () => {
  const { database, rollup, allRows } = asked(newPath());
  database.exec(`INSERT INTO interactions (user_id, level, success, timestamp) VALUES
    ('a', 1, 1, '2026-01-02 10:00:00'), ('a', 2, 1, '2026-01-01 10:00:00'), ('a', 3, 1, NULL), ('a', 4, 1, 'noon'),
    ('a', 5, 0, '2026-01-03T00:00:00'), ('b', 5, 0, '2025-12-31 23:30:00-01:00'), ('c', 5, 0, 0)`);
  for (const _ of [1, 2]) {
    for (const statistics of [allRows, rollup]) {
      expect(statistics.userBetween("a", range({ until: "2026-01-03" }))).toMatchObject({
        total_operations: 2,
        current_level: 2,
        first_use: "2026-01-01 10:00:00",
        last_use: "2026-01-02 10:00:00",
      });
      expect(statistics.globalBetween(range({ since: "2026-01-01" }))).toEqual({
        total_users: 2,
        total_interactions: 4,
        success_rate: 0.5,
      });
      expect(statistics.userBetween("a", range({ since: "2027-01-01" }))).not.toHaveProperty("current_level");
    }
    rollup.foldAll();
  }
});

test("rows that the sums do not contain yet count, and so do times that cancel each other out", () => {
  const { database, rollup, allRows } = asked(newPath());
  const add = database.prepare(
    "INSERT INTO interactions (user_id, level, success, response_time_ms, timestamp) VALUES (?, 1, 1, ?, ?)",
  );
  for (const [ms, day] of [
    [1e16, 1],
    [1, 1],
    [-1e16, 2],
  ])
    add.run("a", ms, `2026-01-0${day} 10:00:00`);
  for (const ms of [1, 2, 3]) add.run("b", ms, "2026-01-02 10:00:00");
  rollup.foldAll();
  add.run("b", 5, "2026-01-01 00:00:01");
  add.run("b", 5, "2026-01-02 23:59:59");
  add.run("z", 5, "2026-01-01 10:00:00");
  const twoDays = range({ since: "2026-01-01", until: "2026-01-03" });
  expect(rollup.userBetween("a", twoDays)).toEqual(allRows.userBetween("a", twoDays));
  expect(rollup.userBetween("a", twoDays).avg_response_time_ms).toBeGreaterThan(0);
  expect(rollup.userBetween("b", twoDays)).toMatchObject({
    total_operations: 5,
    first_use: "2026-01-01 00:00:01",
    last_use: "2026-01-02 23:59:59",
  });
  expect(rollup.globalBetween(twoDays)).toMatchObject({ total_users: 3, total_interactions: 9 });
  const dividedDays = range({ since: "2026-01-01T10:00:00", until: "2026-01-02T12:00:00" });
  expect(rollup.globalBetween(dividedDays)).toMatchObject({ total_users: 3, total_interactions: 7 });
});
