import Sqlite from "better-sqlite3";
import fc from "fast-check";
import { expect, test } from "vitest";
import { overviewQueries } from "../../src/metrics/overview.ts";
import { MEAN_TOLERANCE } from "../../src/metrics/rollup/audit_sql.ts";
import { type ScannedRows, scanRows } from "../../src/metrics/scan/scan_rows.ts";
import { statisticsQueries } from "../../src/metrics/statistics.ts";
import { askedTrend } from "../../src/metrics/trends/trend_arguments.ts";
import type { Database } from "../../src/sqlite/open_database.ts";

const USER = fc.constantFrom("'a'", "'b'", "'ä'", "'\u{1f600}'", "'\uffee'", "''", "'A'");
const LEVEL = fc.constantFrom("1", "2", "3", "4", "5", "3.0", "0", "6", "2.5", "'4'", "'high'", "x'33'", "NULL");
const SUCCESS = fc.constantFrom("0", "1", "'yes'", "'1'", "NULL", "2", "0.5");
const TIME = fc.oneof(
  fc.double({ min: 0, max: 1e6, noNaN: true }).map(String),
  fc.constantFrom(
    "NULL",
    "'fast'",
    "9e999",
    "-9e999",
    "1e308",
    "-1e308",
    "-0.25",
    "1e16",
    "x'00'",
    "7",
    "-9223372036854775808",
  ),
);
const TIMESTAMP = fc.constantFrom(
  "'2024-01-01 00:00:00'",
  "'2024-01-01 24:00:00'",
  "'2024-01-01 23:60:00'",
  "'2024-01-01 2 :00:00'",
  "'2024-13-01 10:00:00'",
  "'2024-02-30 10:00:00'",
  "'2024-12-30 10:00:00'",
  "'0001-01-01 00:00:00'",
  "'2025-06-01T10:00:00.123456'",
  "'2024-01-01 23:30:00-02:00'",
  "'2024-01-02 23:40:00\u{1f600}'",
  "'noon'",
  "'now'",
  "1700000000",
  "1700000000.5",
  "1704067200000",
  "-9223372036854775808",
  "9e999",
  "x'32303235'",
  "NULL",
  "''",
);
const ID = fc.constantFrom(
  "NULL",
  "NULL",
  "NULL",
  "-9223372036854775808",
  "9223372036854775807",
  "-1",
  "9007199254740993",
);
const row = fc.tuple(ID, USER, LEVEL, SUCCESS, TIME, TIMESTAMP).map((values) => `(${values.join(", ")})`);

function withRows(columns: string, values: readonly string[]): Database {
  const database = new Sqlite(":memory:");
  database.exec(`CREATE TABLE interactions (id INTEGER PRIMARY KEY, ${columns})`);
  const insert = "INSERT OR IGNORE INTO interactions (id, user_id, level, success, response_time_ms, timestamp) VALUES";
  // Without a free id above the highest one, SQLite searches for another at random.
  for (const each of values) database.exec(`${insert} ${each}`);
  return database;
}

function scanned(database: Database): ScannedRows | undefined {
  const scan = scanRows(database, "level");
  for (;;) {
    const step = scan.next();
    if (step.done === true) return step.value;
  }
}

const TYPED = "user_id TEXT, level INTEGER, success BOOLEAN, response_time_ms REAL, timestamp TIMESTAMP";
const UNTYPED = "user_id, level, success, response_time_ms, timestamp";

interface Mean {
  avg_response_time_ms: number;
}

const close = <Answer extends Mean>(got: Answer, expected: Mean | undefined): Answer => {
  const other = expected?.avg_response_time_ms ?? 0;
  const isClose = Math.abs(got.avg_response_time_ms - other) <= MEAN_TOLERANCE * Math.max(Math.abs(other), 1);
  return isClose ? { ...got, avg_response_time_ms: other } : got;
};

test.each([TYPED, UNTYPED])("the answers are those of SQL: %s", (columns) => {
  fc.assert(
    fc.property(fc.array(row, { maxLength: 25 }), (values) => {
      const database = withRows(columns, values);
      const found = scanned(database) as ScannedRows;
      const sql = { ...overviewQueries(database, "level"), ...statisticsQueries(database, "level") };
      expect(close(found.overview(), sql.overview())).toEqual(sql.overview());
      expect(Object.keys(found.overview())).toEqual(Object.keys(sql.overview()));
      expect(found.global()).toEqual(sql.global());
      for (const limit of [2, 100]) {
        const expected = sql.topUsers(limit);
        const users = found.topUsers(limit).map((user, index) => close(user, expected[index]));
        expect(users).toEqual(expected);
        expect(users.map(Object.keys)).toEqual(expected.map(Object.keys));
      }
      for (const bucket of ["day", "week", "month"] as const) {
        const expected = sql.globalTrend(askedTrend({ bucket }));
        expect(found.globalTrend(bucket).map((each, index) => close(each, expected[index]))).toEqual(expected);
      }
      database.close();
    }),
    { numRuns: 150 * Number(process.env["PERDURA_RUNS"] ?? 1) },
  );
});

test.each(["x'61'", "CAST(x'ff' AS TEXT)", "5"])("only SQLite compares the user id %s", (user) => {
  const database = withRows(UNTYPED, [`(NULL, ${user}, 1, 1, 1, NULL)`]);
  expect(scanned(database)).toBeUndefined();
  database.close();
});

test("with very many users, SQLite answers", () => {
  const database = withRows(TYPED, ["(NULL, 'a', 1, 1, 1, NULL)", "(NULL, 'b', 1, 1, 1, NULL)"]);
  expect(scanRows(database, "level", 1).next()).toEqual({ done: true, value: undefined });
  expect(scanRows(database, "level", 2).next()).toEqual({ done: false, value: { done: 2, total: 2 } });
  database.close();
});

test("rows are read in pieces", () => {
  const database = withRows(TYPED, []);
  database.exec(`INSERT INTO interactions (user_id, level, success) SELECT 'a', 1, 1
    FROM (WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 12000) SELECT i FROM n)`);
  expect([...scanRows(database, "level")]).toEqual([
    { done: 5000, total: 12_000 },
    { done: 10_000, total: 12_000 },
    { done: 12_000, total: 12_000 },
  ]);
  expect(scanned(database)?.global()).toEqual({ total_users: 1, total_interactions: 12_000, success_rate: 1 });
  database.close();
});
