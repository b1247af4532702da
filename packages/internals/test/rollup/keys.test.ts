import { expect, it, onTestFinished } from "vitest";
import { breakdownQueries } from "../../src/metrics/breakdown/breakdown_queries.ts";
import { percentileQueries } from "../../src/metrics/breakdown/percentile_queries.ts";
import { askedBreakdown } from "../../src/metrics/breakdown/breakdown_arguments.ts";
import { MOST_VALUES } from "../../src/metrics/keys/declared_keys.ts";
import { openMetrics } from "../../src/metrics/open_metrics.ts";
import { overviewQueries } from "../../src/metrics/overview.ts";
import { auditRollup } from "../../src/metrics/rollup/audit.ts";
import { type RollupStatistics, rollupStatistics } from "../../src/metrics/rollup/rollup_statistics.ts";
import { statisticsQueries } from "../../src/metrics/statistics.ts";
import { ALWAYS } from "../../src/metrics/time_range.ts";
import type { Database } from "../../src/sqlite/open_database.ts";
import { freshFolder } from "../../../../test/fresh_folder.ts";
import { BREAKDOWN_KEYS, differences } from "./compare.ts";

const folder = freshFolder();
let files = 0;

/** A database with 60 folded rows of three users and two tools. */
function summed(keys: { keys: string[]; numbers: string[] } = { keys: ["tool", "n"], numbers: ["cost"] }) {
  const path = `${folder}/${(files += 1)}.db`;
  const database = openMetrics(path, "level", { durability: "normal", keys });
  const insert = database.prepare(
    "INSERT INTO interactions (user_id, level, success, response_time_ms, timestamp) VALUES (?, 3, ?, ?, ?)",
  );
  const tell = database.prepare("INSERT INTO interaction_metadata VALUES (?, ?)");
  for (let row = 1; row <= 60; row += 1) {
    const id = insert.run(`user${row % 3}`, row % 2, row, `2024-01-0${1 + (row % 4)} 10:00:00`).lastInsertRowid;
    if (row % 5 > 0) tell.run(id, JSON.stringify({ tool: row % 2 ? "search" : "mail", n: row % 4, cost: row - 30 }));
  }
  onTestFinished(() => void database.close());
  const rollup = rollupStatistics(database, "level", { threshold: 10, piece: 7, budgetMs: Infinity, exactUpTo: 2 });
  rollup.foldAll();
  return { database, rollup };
}

const plainOf = (database: Database) => ({
  ...statisticsQueries(database, "level"),
  ...overviewQueries(database, "level"),
  ...breakdownQueries(database, 2),
  ...percentileQueries(database, 2),
});

const ask = (database: Database, sql: string): unknown => database.prepare(sql).pluck().get();

function assertEqual(database: Database, rollup: RollupStatistics): void {
  expect(differences(rollup, plainOf(database), [], true)).toEqual([]);
  expect(auditRollup(database, "level")?.differences).toEqual([]);
}

it("keeps sums of declared keys, of users and of all", () => {
  const { database, rollup } = summed();
  expect(ask(database, `SELECT sum(sums ->> '$[0]') FROM perdura_value_days`)).toBe(2 * 60);
  expect(ask(database, `SELECT sum(value ->> '$[1]') FROM perdura_user_key_days, json_each(sums)`)).toBe(2 * 60);
  // From the sums, not from the rows.
  database.exec("UPDATE perdura_value_days SET sums = json_set(sums, '$[0]', 999)");
  const asked = askedBreakdown("tool");
  expect(rollup.breakdown(asked)).not.toEqual(plainOf(database).breakdown(asked));
});

it("tells percentiles of very many interactions from the sums of any key", () => {
  const { database, rollup } = summed();
  assertEqual(database, rollup);
  expect(rollup.hasPercentileSums()).toBe(true);
  // From the sums, not from the rows.
  database.exec("UPDATE perdura_value_days SET sums = json_set(sums, '$[2]', json('[0, 1]'))");
  database.exec("UPDATE perdura_user_key_days SET sums = json_set(sums, '$[0][3]', json('[0, 1]'))");
  for (const user of [undefined, "user1"]) {
    const chosen = { user, range: undefined };
    expect(rollup.percentiles(chosen)).not.toEqual(plainOf(database).percentiles(chosen));
  }
  const days = { user: undefined, range: ALWAYS };
  expect(rollup.percentilesByPeriod(days, "day").get("2024-01-02")).toEqual({ p50: 0, p95: 0, p99: 0 });
  expect(summed({ keys: [], numbers: [] }).rollup.hasPercentileSums()).toBe(false);
});

it("adds new rows to the sums before questions about one moment", () => {
  const { database, rollup } = summed();
  const sql = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50)";
  database.exec(`${sql} INSERT INTO interactions (user_id, level, success) SELECT 'user1', 1, 1 FROM n`);
  expect(rollup.atOneMoment(() => rollup.global().total_interactions)).toBe(110);
  expect(ask(database, "SELECT watermark FROM perdura_rollup")).toBe(110);
  expect(ask(database, "SELECT min(watermark) FROM perdura_summed_keys")).toBe(110);
});

it("answers about keys that are not declared from the rows", () => {
  const { database, rollup } = summed({ keys: ["tool"], numbers: [] });
  database.exec("UPDATE perdura_value_days SET sums = json_set(sums, '$[0]', 999)");
  for (const asked of [askedBreakdown("n"), askedBreakdown("tool", { numbers: ["cost"] })])
    expect(rollup.breakdown(asked)).toEqual(plainOf(database).breakdown(asked));
});

it.each([
  ["are added", 'INSERT INTO interaction_metadata VALUES (5, \'{"tool": "new"}\')'],
  ["are replaced", 'INSERT OR REPLACE INTO interaction_metadata VALUES (6, \'{"tool": "new"}\')'],
  ["change", 'UPDATE interaction_metadata SET metadata = \'{"tool": "new"}\' WHERE interaction_id = 6'],
  ["move to another interaction", "UPDATE interaction_metadata SET interaction_id = 5 WHERE interaction_id = 6"],
  ["are deleted", "DELETE FROM interaction_metadata WHERE interaction_id = 6"],
  ["are deleted with their interaction", "DELETE FROM interactions WHERE id = 6"],
  ["move with their interaction", "UPDATE interactions SET id = 1000 WHERE id = 6"],
  ["of the last interaction go", "DELETE FROM interactions WHERE id >= 58"],
])("sums are right when metadata %s", (_, sql) => {
  const { database, rollup } = summed();
  database.exec(sql);
  assertEqual(database, rollup);
  rollup.foldAll();
  assertEqual(database, rollup);
  expect(ask(database, `SELECT sum(sums ->> '$[0]') FROM perdura_value_days WHERE key_id = 1`)).toBe(
    ask(database, "SELECT count(*) FROM interactions"),
  );
});

it("adds the rows that are not folded", () => {
  const { database, rollup } = summed();
  database.exec(
    "INSERT INTO interactions (user_id, level, success, response_time_ms) VALUES ('user1', 1, 1, 5); INSERT INTO interaction_metadata VALUES (61, '{\"tool\": \"new\"}')",
  );
  assertEqual(database, rollup);
});

it("declares keys later, and gives up sums of keys that are not declared any more", () => {
  const { database, rollup } = summed({ keys: ["n"], numbers: [] });
  const path = database.name;
  openMetrics(path, "level", { keys: { keys: ["tool"], numbers: ["cost"] } }).close();
  rollup.foldAll();
  assertEqual(database, rollup);
  expect(ask(database, "SELECT count(*) FROM perdura_summed_keys WHERE numbers = '[\"cost\"]'")).toBe(2);
  database.exec("DELETE FROM perdura_declared_keys WHERE key = 'n'");
  rollup.foldAll();
  expect(ask(database, "SELECT group_concat(key) FROM perdura_summed_keys")).toBe("tool");
  for (const table of ["perdura_user_key_days", "perdura_value_days", "perdura_key_values"])
    expect(
      ask(database, `SELECT count(*) FROM ${table} WHERE key_id NOT IN (SELECT key_id FROM perdura_summed_keys)`),
    ).toBe(0);
  assertEqual(database, rollup);
});

it("keeps no sums of a key with very many values", () => {
  const { database, rollup } = summed();
  database.exec(
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i <= ${MOST_VALUES})
     INSERT OR REPLACE INTO interactions (id, user_id, level, success, response_time_ms) SELECT 1000 + i, 'user1', 1, 1, i FROM n;
     INSERT INTO interaction_metadata SELECT id, json_object('tool', 'tool ' || id, 'n', 1) FROM interactions WHERE id > 1000`,
  );
  rollup.foldAll();
  expect(ask(database, "SELECT group_concat(key) FROM perdura_summed_keys WHERE is_summed")).toBe("n");
  expect(ask(database, "SELECT count(DISTINCT key_id) FROM perdura_value_days")).toBe(1);
  for (const key of BREAKDOWN_KEYS.keys)
    expect(rollup.breakdown(askedBreakdown(key))).toEqual(plainOf(database).breakdown(askedBreakdown(key)));
});

it("leaves nothing of a deleted user in sums of a key that was given up", () => {
  const { database, rollup } = summed();
  database.exec("UPDATE perdura_summed_keys SET key_id = 1000, is_summed = 0 WHERE key = 'tool'");
  database.exec("DELETE FROM interactions WHERE user_id = 'user1'");
  for (const _ of rollup.refreshing(() => 1000));
  expect(ask(database, "SELECT count(*) FROM perdura_user_key_days WHERE user_id = 'user1'")).toBe(0);
  expect(ask(database, "SELECT count(*) FROM perdura_key_values WHERE name = 'text:search'")).toBe(0);
});

it("leaves no value of a deleted user", () => {
  const { database, rollup } = summed();
  database.exec(
    "INSERT INTO interactions (user_id, level, success) VALUES ('secret user', 1, 1); INSERT INTO interaction_metadata VALUES (61, '{\"tool\": \"secret tool\"}')",
  );
  rollup.foldAll();
  expect(ask(database, "SELECT count(*) FROM perdura_key_values WHERE name LIKE '%secret%'")).toBe(1);
  database.exec("DELETE FROM interactions WHERE user_id = 'secret user'");
  for (const _ of rollup.refreshing(() => 1000));
  expect(ask(database, "SELECT count(*) FROM perdura_key_values WHERE name LIKE '%secret%'")).toBe(0);
  expect(ask(database, "SELECT count(*) FROM perdura_user_key_days WHERE user_id = 'secret user'")).toBe(0);
});

it.each([
  [
    "of users",
    "UPDATE perdura_user_key_days SET sums = json_set(sums, '$[0][2]', 99) WHERE user_id = 'user1'",
    "rows of 1 users",
  ],
  ["of times", "UPDATE perdura_user_key_days SET sums = json_set(sums, '$[0][4][1]', 99)", "rows of 3 users"],
  ["of all", "UPDATE perdura_value_days SET sums = json_set(sums, '$[0]', 999) WHERE day = '2024-01-02'", "on "],
  ["that are gone", "DELETE FROM perdura_user_key_days WHERE user_id = 'user2'", "rows of 1 users"],
  ["of buckets", "UPDATE perdura_value_days SET sums = json_set(sums, '$[2]', json('[]'))", "on 4 days"],
  ["of values", "UPDATE perdura_key_values SET operations = 1", "on "],
])("an audit finds wrong sums %s", (_, sql, found) => {
  const { database } = summed();
  database.exec(sql);
  expect(auditRollup(database, "level")?.differences.join("; ")).toContain(found);
});
