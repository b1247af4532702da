import { copyFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { MetricsQuestions } from "@perdura/internals/metrics/questions.js";
import { MetricsCollector } from "@perdura/v16";
import Database from "better-sqlite3";
import { fileWithForeignRows } from "../data/foreign_rows.ts";
import { dataFile, HEAVY_USER, TYPICAL_USER, typicalUsers } from "../data/interactions.ts";
import type { Side } from "../measure/measure.ts";
import type { Place, Row } from "../row.ts";

/** Longest time for which a question may keep its program from other work, in milliseconds. */
const MOST_MS = 50;

/** A question, and the same in SQL over the table. */
interface Asked {
  /** Its options in words. */
  of: string;
  ours: (collector: MetricsQuestions) => unknown;
  sql: string;
  given?: string[];
  /** True if interactions are read, as the documentation says; there is no limit then. */
  readsRows?: boolean;
}

const FIGURES = `count(*), avg(success), avg(response_time_ms), ${[1, 2, 3, 4, 5]
  .map((level) => `count(CASE WHEN level = ${level} THEN 1 END)`)
  .join(", ")}`;
const OF_USER = `SELECT ${FIGURES}, min(timestamp), max(timestamp) FROM interactions WHERE user_id = ?`;
const OF_ALL = "SELECT count(*), avg(success), count(DISTINCT user_id) FROM interactions";
const TREND = `SELECT date(timestamp), ${FIGURES} FROM interactions`;
const HOURS = TREND.replace("date(timestamp)", "strftime('%Y-%m-%dT%H', timestamp)");
const BREAKDOWN = `SELECT json_extract(metadata, '$.tool'), count(*), avg(success), avg(response_time_ms)
  FROM interactions LEFT JOIN interaction_metadata ON interaction_id = id`;
const BETWEEN = "timestamp >= ? AND timestamp < ?";

/** Ranges of the 116 days of the data: whole days, and limits that divide the first and the last day. */
const RANGES = {
  "two months": ["2020-10-01", "2020-12-01"],
  "two months that divide days": ["2020-10-01T10:30:00", "2020-12-01T15:20:10"],
  "a week that divides days": ["2020-11-05T10:30:00", "2020-11-12T10:30:00"],
  "24 hours that divide days": ["2020-11-05T10:30:00", "2020-11-06T10:30:00"],
  "an hour": ["2020-11-05T10:30:00", "2020-11-05T11:30:00"],
} as const satisfies Record<string, readonly [since: string, until: string]>;

const USERS = { "a user": TYPICAL_USER, "a user with a twentieth of all rows": HEAVY_USER };

function inRanges(make: (limits: { since: string; until: string }, given: string[]) => Omit<Asked, "of">): Asked[] {
  return Object.entries(RANGES).map(([of, [since, until]]) => ({
    of,
    ...make(
      { since, until },
      [since, until].map((limit) => limit.replace("T", " ")),
    ),
  }));
}

function ofUsers(make: (user: string) => Asked[]): Asked[] {
  return Object.entries(USERS).flatMap(([name, user]) =>
    make(user).map((asked) => ({ ...asked, of: [name, asked.of].filter((part) => part !== "").join(", ") })),
  );
}

/** Every question of a collector. */
const QUESTIONS: { [Question in keyof MetricsQuestions]: Asked[] } = {
  getUserStats: ofUsers((user) => [
    { of: "", ours: (asked) => asked.getUserStats(user), sql: OF_USER, given: [user] },
    ...inRanges((limits, given) => ({
      ours: (asked) => asked.getUserStats(user, limits),
      sql: `${OF_USER} AND ${BETWEEN}`,
      given: [user, ...given],
    })),
  ]),
  getGlobalStats: [
    { of: "", ours: (asked) => asked.getGlobalStats(), sql: OF_ALL },
    ...inRanges((limits, given) => ({
      ours: (asked) => asked.getGlobalStats(limits),
      sql: `${OF_ALL} WHERE ${BETWEEN}`,
      given,
    })),
    {
      of: "percentiles",
      ours: (asked) => asked.getGlobalStats({ percentiles: true }),
      sql: "SELECT response_time_ms FROM interactions ORDER BY 1 LIMIT 1 OFFSET (SELECT count(*) / 2 FROM interactions)",
      readsRows: true,
    },
  ],
  getAllUsers: [
    {
      of: "",
      ours: (asked) => asked.getAllUsers(),
      sql: "SELECT DISTINCT user_id FROM interactions ORDER BY 1",
    },
  ],
  getUserTrend: ofUsers((user) => [
    { of: "", ours: (asked) => asked.getUserTrend(user), sql: `${TREND} WHERE user_id = ? GROUP BY 1`, given: [user] },
    ...inRanges((limits, given) => ({
      ours: (asked) => asked.getUserTrend(user, limits),
      sql: `${TREND} WHERE user_id = ? AND ${BETWEEN} GROUP BY 1`,
      given: [user, ...given],
    })),
  ]),
  getGlobalTrend: [
    { of: "", ours: (asked) => asked.getGlobalTrend(), sql: `${TREND} GROUP BY 1` },
    ...inRanges((limits, given) => ({
      ours: (asked) => asked.getGlobalTrend(limits),
      sql: `${TREND} WHERE ${BETWEEN} GROUP BY 1`,
      given,
    })),
    {
      of: "hours of two months",
      ours: (asked) => asked.getGlobalTrend({ bucket: "hour", since: "2020-10-01", until: "2020-12-01" }),
      sql: `${HOURS} WHERE ${BETWEEN} GROUP BY 1`,
      given: ["2020-10-01", "2020-12-01"],
      readsRows: true,
    },
  ],
  getBreakdown: [
    {
      of: "a user",
      ours: (asked) => asked.getBreakdown("tool", { user_id: TYPICAL_USER }),
      sql: `${BREAKDOWN} WHERE user_id = ? GROUP BY 1`,
      given: [TYPICAL_USER],
    },
    {
      of: "all users, a key without sums",
      ours: (asked) => asked.getBreakdown("tool"),
      sql: `${BREAKDOWN} GROUP BY 1`,
      readsRows: true,
    },
  ],
};

const EACH = Object.entries(QUESTIONS).flatMap(([question, each]) =>
  each.map((asked) => ({ ...asked, name: `${question}${asked.of === "" ? "" : ` (${asked.of})`}` })),
);

/** Processor time, which other programs do not prolong; the file is in the system's memory. */
function millisecondsOf(call: () => unknown): number {
  const before = process.cpuUsage();
  call();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/**
 * Asks each question of a collector that was just opened, as a program that has just started does. The fastest call of all
 * rounds counts, because other programs may slow one down.
 */
function blocks(pathOf: (place: Place) => string): (place: Place) => Side {
  return (place) => {
    const path = join(place.directory, "asked.db");
    const remove = (): void => ["", "-wal", "-shm"].forEach((end) => rmSync(path + end, { force: true }));
    const ours = new Map<string, number>();
    const plain = new Map<string, number>();
    const longest = (): number =>
      Math.max(...EACH.filter(({ readsRows }) => readsRows !== true).map(({ name }) => ours.get(name) as number));
    return {
      name: "perdura",
      prepare: () => {
        remove();
        copyFileSync(pathOf(place), path);
      },
      round: () => {
        for (const { name, ours: ask, readsRows } of EACH) {
          if (readsRows === true && ours.has(name)) continue;
          const collector = new MetricsCollector(path);
          const taken = millisecondsOf(() => ask(collector));
          ours.set(name, Math.min(taken, ours.get(name) ?? Infinity));
          collector.close();
        }
        if (plain.size === 0) {
          const database = new Database(path, { readonly: true });
          for (const { name, sql, given = [] } of EACH)
            plain.set(
              name,
              millisecondsOf(() => database.prepare(sql).all(...given)),
            );
          database.close();
        }
        return { milliseconds: longest() };
      },
      remarks: () =>
        EACH.map(
          ({ name, readsRows }) =>
            `${name}: ${shown(ours.get(name))} ms, plain SQL ${shown(plain.get(name))} ms${readsRows === true ? "; reads interactions, no limit" : ""}`,
        ),
      close: remove,
    };
  };
}

function shown(milliseconds: number | undefined): string {
  return Number((milliseconds as number).toPrecision(2)).toLocaleString("en");
}

const limited = {
  peer: `a block of ${MOST_MS} ms; each question is also compared with plain SQL`,
  rounds: 4,
  rows: 1_000_000,
  atMost: 1,
  goalFrom: 10_000_000,
};
const limit = (): Side => ({ name: `${MOST_MS} ms`, round: () => ({ milliseconds: MOST_MS }) });

const summed = ({ shared, rows }: Place): string =>
  dataFile(shared, { layout: "perdura", rows, users: typicalUsers(rows) });
const withForeignRows = ({ shared, rows }: Place): string => fileWithForeignRows(shared, rows);

/** The time for which a question keeps its program from other work: the longest call of all questions. */
export const QUESTION_ROWS: Row[] = [
  {
    ...limited,
    name: "questions",
    what: "the longest block of any question, with sums",
    data: (place) => void summed(place),
    sides: { ours: blocks(summed), peer: limit },
  },
  {
    ...limited,
    name: "questions-foreign",
    what: "the longest block of any question, after another program added a tenth of the rows",
    data: (place) => void withForeignRows(place),
    sides: { ours: blocks(withForeignRows), peer: limit },
  },
];
