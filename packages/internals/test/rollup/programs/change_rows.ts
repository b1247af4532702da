// A separate process that records, changes and deletes rows, and asks for statistics. Arguments: path, seed, number of
// steps.
import { overviewQueries } from "@perdura/internals/metrics/overview.js";
import { openMetrics } from "@perdura/internals/metrics/open_metrics.js";
import { rollupStatistics } from "@perdura/internals/metrics/rollup/rollup_statistics.js";
import { statisticsQueries } from "@perdura/internals/metrics/statistics.js";
import { differences } from "../compare.ts";

const [path, seed, count] = process.argv.slice(2) as [string, string, string];
const database = openMetrics(path, "level", { durability: "normal" });
const limits = { threshold: 5, piece: 4, sliceMs: 0, budgetMs: 2, fewestUsers: 1 };
const rollup = rollupStatistics(database, "level", limits);
const allRows = { ...statisticsQueries(database, "level"), ...overviewQueries(database, "level") };
let random = Number(seed);
const below = (limit: number): number => {
  random = (random * 48_271) % 0x7fffffff;
  return random % limit;
};
for (let each = 0; each < Number(count); each += 1) {
  const [user, id] = [`user${below(6)}`, below(40) + 1];
  database
    .prepare("INSERT INTO interactions (user_id, level, success, response_time_ms) VALUES (?, ?, 1, ?)")
    .run(user, below(5) + 1, below(100));
  const change = [
    `UPDATE interactions SET user_id = '${user}' WHERE id = ${id}`,
    `DELETE FROM interactions WHERE id = ${id}`,
    `INSERT OR REPLACE INTO interactions (id, user_id, level, success) VALUES (${id}, '${user}', 2, 0)`,
    `UPDATE OR REPLACE interactions SET id = ${id} WHERE id = ${below(40) + 1}`,
    "DELETE FROM interactions WHERE id = (SELECT max(id) FROM interactions)",
  ][below(5)] as string;
  database.exec(change);
  rollup.user(user);
  rollup.global();
  rollup.users();
  const found = database.transaction(() => differences(rollup, allRows))();
  if (found.length > 0) throw new Error(found.join("\n"));
}
database.close();
