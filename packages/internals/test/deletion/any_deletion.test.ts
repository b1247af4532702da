import { copyFileSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import Sqlite from "better-sqlite3";
import fc from "fast-check";
import { expect, test } from "vitest";
import { checkedDeletion, checkedForgetting } from "../../src/metrics/deletion/deletion_arguments.ts";
import { rewriteKeepingSums } from "../../src/metrics/deletion/erase.ts";
import { type DeletingLog, deletionSteps } from "../../src/metrics/deletion/deletion_steps.ts";
import { breakdownQueries } from "../../src/metrics/breakdown/breakdown_queries.ts";
import { percentileQueries } from "../../src/metrics/breakdown/percentile_queries.ts";
import { openMetrics } from "../../src/metrics/open_metrics.ts";
import { type OverviewQueries } from "../../src/metrics/overview_stats.ts";
import { overviewQueries } from "../../src/metrics/overview.ts";
import { type RollupStatistics, rollupStatistics } from "../../src/metrics/rollup/rollup_statistics.ts";
import { type CollectorQueries, statisticsQueries } from "../../src/metrics/statistics.ts";
import { MOMENT } from "../../src/metrics/trends/time_sql.ts";
import type { Database } from "../../src/sqlite/open_database.ts";
import { BREAKDOWN_KEYS, differences } from "../rollup/compare.ts";
import { newPath, SMALL } from "../rollup/databases.ts";

const RUNS = Number(process.env["PERDURA_RUNS"] ?? 1) * 60;
const USERS = 5;

/** Of the last user, one that needs several pages. */
const idOf = (user: number): string => `person-${user}@${"example.".repeat(user === USERS - 1 ? 200 : 1)}com`;
/** A part of an id that no other id has. */
const beginOf = (id: string): string => id.slice(0, id.indexOf("@"));
const secretOf = (user: number): string => `secret of ${user}/`;

type Step =
  | { do: "record"; users: number[]; long: boolean }
  | { do: "foreign"; sql: string }
  | { do: "fold" }
  | { do: "ask" }
  | { do: "crash" }
  | { do: "delete"; user: number | undefined; day: number | undefined; erase: boolean; steps: number };

const user = fc.nat(USERS - 1);
const ids = fc.integer({ min: 1, max: 120 });

const foreignSql = fc.oneof(
  ids.map((id) => `DELETE FROM interactions WHERE id > ${id}`),
  user.map((each) => `DELETE FROM interactions WHERE user_id = '${idOf(each)}' AND id % 3 > 0`),
  ids.map((id) => `UPDATE interactions SET success = 1 - success, response_time_ms = 5 WHERE id = ${id}`),
  fc
    .tuple(ids, user)
    .map(
      ([id, each]) =>
        `INSERT OR REPLACE INTO interactions (id, user_id, level, success, timestamp) VALUES (${id}, '${idOf(each)}', 2, 0, '2026-01-0${1 + (id % 9)}T10:00:00Z')`,
    ),
  fc.tuple(ids, ids).map(([id, to]) => `UPDATE OR REPLACE interactions SET id = ${to} WHERE id = ${id}`),
  // Leaves ends of ids, and unused ends of overflow pages.
  user.map((each) => `UPDATE interactions SET user_id = 'ann' WHERE user_id = '${idOf(each)}' AND id % 2 = 0`),
  ids.map(
    (length) =>
      `UPDATE interaction_metadata SET metadata = json_object('tool', printf('%.*c', ${length * 70}, '-')) WHERE interaction_id % 2 = 0`,
  ),
  fc.constant("VACUUM"),
);

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("record" as const),
      users: fc.array(user, { minLength: 5, maxLength: 60 }),
      long: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("foreign" as const), sql: foreignSql }) },
  fc.record({ do: fc.constant("fold" as const) }),
  fc.record({ do: fc.constant("ask" as const) }),
  fc.record({ do: fc.constant("crash" as const) }),
  {
    weight: 3,
    arbitrary: fc
      .record({
        do: fc.constant("delete" as const),
        user: fc.option(user, { nil: undefined }),
        day: fc.option(fc.integer({ min: 1, max: 12 }), { nil: undefined }),
        erase: fc.boolean(),
        // A program may end after any of the steps.
        steps: fc.oneof(fc.constant(Infinity), fc.nat(5)),
      })
      .filter((asked) => asked.user !== undefined || asked.day !== undefined),
  },
);

interface Kind {
  hasKeys: boolean;
  hasMetadata: boolean;
  encoding: "UTF-8" | "UTF-16le";
  /** True for a database that may not be rewritten as a whole: `erase` fails if it would have to be, until it was. */
  isLarge: boolean;
}

const kind: fc.Arbitrary<Kind> = fc.record({
  hasKeys: fc.boolean(),
  hasMetadata: fc.boolean(),
  encoding: fc.constantFrom("UTF-8", "UTF-16le"),
  isLarge: fc.boolean(),
});

interface Opened extends Kind {
  path: string;
  database: Database;
  /** A connection of another program. */
  foreign: Database;
  rollup: RollupStatistics;
  plain: CollectorQueries & OverviewQueries;
}

/** Number of rows from which percentiles are estimated: sums of values answer only then. */
const EXACT_UP_TO = 2;

function open(path: string, opened: Kind): Opened {
  const { hasKeys, encoding } = opened;
  const first = new Sqlite(path);
  first.exec(`PRAGMA encoding = '${encoding}'; CREATE TABLE IF NOT EXISTS foreign_table (x)`);
  first.close();
  const database = openMetrics(path, "level", { durability: "normal", keys: hasKeys ? BREAKDOWN_KEYS : undefined });
  const foreign = new Sqlite(path);
  foreign.pragma("foreign_keys = OFF");
  const rollup = rollupStatistics(database, "level", { ...SMALL, exactUpTo: EXACT_UP_TO });
  const plain = {
    ...statisticsQueries(database, "level"),
    ...overviewQueries(database, "level"),
    ...breakdownQueries(database, EXACT_UP_TO),
    ...percentileQueries(database, EXACT_UP_TO),
  };
  return { ...opened, path, database, foreign, rollup, plain };
}

function close({ database, foreign }: Opened): void {
  foreign.close();
  database.close();
}

/** Ends the programs without closing the database: the next one finds its files, and the log with what was stored. */
function crash(opened: Opened): Opened {
  const path = newPath();
  for (const end of ["", "-wal"]) if (existsSync(opened.path + end)) copyFileSync(opened.path + end, path + end);
  close(opened);
  return open(path, opened);
}

/** The value of a declared key is a secret, too. */
const metadataOf = (each: number, long: boolean): string =>
  JSON.stringify({
    note: `${secretOf(each)}${"x".repeat(long ? 9000 : 20)}${secretOf(each)}`,
    tool: each % 2 === 0 ? secretOf(each) : "search",
    n: each,
    cost: each / 4,
  });

function record({ database, hasMetadata }: Opened, { users, long }: Step & { do: "record" }): void {
  const insert = database.prepare(
    "INSERT INTO interactions (user_id, level, success, response_time_ms, timestamp) VALUES (?, ?, ?, ?, ?)",
  );
  const metadata = database.prepare("INSERT INTO interaction_metadata VALUES (?, ?)");
  for (const each of users) {
    const at = 1 + ((users.length + each) % 9);
    const { lastInsertRowid } = insert.run(idOf(each), 1 + (each % 5), each % 2, each * 1.5, `2026-01-0${at} 10:00:00`);
    if (hasMetadata && each % 3 > 0) metadata.run(lastInsertRowid, metadataOf(each, long));
  }
}

const rowsOf = ({ database }: Opened, where: string): unknown[] =>
  database
    .prepare(
      `SELECT i.*, m.metadata FROM interactions AS i LEFT JOIN interaction_metadata AS m ON m.interaction_id = i.id WHERE ${where} ORDER BY id`,
    )
    .raw()
    .all();

/** Files of the database with a text. */
const filesWith = ({ path, encoding }: Opened, text: string): string[] =>
  readdirSync(dirname(path)).filter((name) =>
    readFileSync(join(dirname(path), name)).includes(Buffer.from(text, encoding === "UTF-8" ? "utf8" : "utf16le")),
  );

function remove(opened: Opened, asked: Step & { do: "delete" }): void {
  const { database, path, rollup, isLarge } = opened;
  const log: DeletingLog = {
    database,
    path,
    waits: { timeoutMs: 5000, sliceMs: 5000 },
    // SQLite leaves copies of rows that it moves between pages.
    rewrittenUpTo: isLarge ? 0 : Infinity,
    change: (work) => database.transaction(work).immediate(),
    refreshSums: () => rollup.refreshing(() => 0),
  };
  const id = asked.user === undefined ? undefined : idOf(asked.user);
  const day = asked.day === undefined ? undefined : `2026-01-${String(asked.day).padStart(2, "0")}`;
  const checked =
    day === undefined
      ? checkedForgetting(id as string, { erase: asked.erase })
      : checkedDeletion(day, { erase: asked.erase, ...(id === undefined ? {} : { user_id: id }) });
  const conditions = [
    ...(id === undefined ? [] : [`user_id = '${id}'`]),
    ...(day === undefined ? [] : [`coalesce(${MOMENT} < '${day}T00:00:00.000', 0)`]),
  ];
  const left = rowsOf(opened, `NOT (${conditions.join(" AND ")})`);
  const isDone = (): boolean => {
    const steps = deletionSteps(log, checked);
    for (let done = 0; done <= asked.steps; done += 1) if (steps.next().done === true) return true;
    steps.return({ interactions: 0, metadata: 0 });
    return false;
  };
  let isFinished: boolean;
  try {
    isFinished = isDone();
  } catch (error) {
    expect({ isLarge, error }).toMatchObject({ isLarge: true, error: { code: "PERDURA_STORAGE" } });
    rewriteKeepingSums(log);
    isFinished = isDone();
  }
  if (!isFinished) return;
  expect(rowsOf(opened, "true")).toEqual(left);
  if (!asked.erase || id === undefined || day !== undefined) return;
  expect(filesWith(opened, id)).toEqual([]);
  expect(filesWith(opened, secretOf(asked.user as number))).toEqual([]);
  if (!isLarge) expect(filesWith(opened, beginOf(id))).toEqual([]);
}

function check(asked: Kind, all: Step[]): void {
  let opened = open(newPath(), asked);
  try {
    for (const each of all) {
      const { database, foreign, rollup, plain } = opened;
      if (each.do === "record") record(opened, each);
      if (each.do === "foreign") foreign.exec(each.sql);
      if (each.do === "fold") rollup.foldAll();
      if (each.do === "ask") expect(differences(rollup, plain, [], true)).toEqual([]);
      if (each.do === "delete") remove(opened, each);
      const orphans =
        "SELECT count(*) FROM interaction_metadata WHERE interaction_id NOT IN (SELECT id FROM interactions)";
      expect(database.prepare(orphans).pluck().get()).toBe(0);
      if (each.do === "crash") opened = crash(opened);
    }
    expect(differences(opened.rollup, opened.plain, [], true)).toEqual([]);
    expect(opened.database.pragma("integrity_check", { simple: true })).toBe("ok");
  } finally {
    close(opened);
  }
}

test("after any records, foreign changes, deletions and crashes: the right rows are left, answers are theirs, and nothing of an erased user", () => {
  fc.assert(fc.property(kind, fc.array(step, { minLength: 3, maxLength: 14, size: "max" }), check), {
    numRuns: RUNS,
  });
});
