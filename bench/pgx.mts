import { PostgresMetricsCollector } from "../packages/postgres/src/index.ts";
import { createRequire } from "node:module";
const require = createRequire("/tmp/pg/x.js");
const pg = require("pg");
const url = "postgres://postgres@127.0.0.1:5544/postgres";
const pool = new pg.Pool({ connectionString: url });
await pool.query("DROP SCHEMA IF EXISTS px CASCADE");
const m = new PostgresMetricsCollector(url, { schema: "px" });
await m.recordInteraction("user-0", 3, true, 1);
const ours = () => m.recordInteraction("user-" + ((Math.random() * 50) | 0), 3, true, 12.5);
const bare = () =>
  pool.query(
    `INSERT INTO px.interactions (user_id, level, success, response_time_ms) VALUES ($1,$2,$3,$4) RETURNING id`,
    ["user-" + ((Math.random() * 50) | 0), 3, true, 12.5],
  );
const T = { ours: [], bare: [] };
for (let i = 0; i < 500; i++) {
  await ours();
  await bare();
}
for (let r = 0; r < 15; r++)
  for (const [n, f] of r % 2
    ? [
        ["ours", ours],
        ["bare", bare],
      ]
    : [
        ["bare", bare],
        ["ours", ours],
      ]) {
    const s = performance.now();
    for (let i = 0; i < 300; i++) await f();
    T[n].push(((performance.now() - s) / 300) * 1000);
  }
for (const n in T) {
  T[n].sort((a, b) => a - b);
  console.log(n, T[n][7].toFixed(1), "µs");
}
let t = performance.now();
function* rows(n) {
  for (let i = 0; i < n; i++)
    yield {
      user_id: i % 20 === 0 ? "heavy" : "user-" + (i % 2000),
      level: 1 + (i % 5),
      success: i % 3 !== 0,
      response_time_ms: i % 1000,
    };
}
const N = Number(process.argv[2] ?? 1e6);
for (let i = 0; i < N / 250000; i++) await m.recordMany(rows(250000));
console.log(
  "recordMany",
  N,
  ((performance.now() - t) / 1000).toFixed(1),
  "s",
  (N / (performance.now() - t)).toFixed(0),
  "k rows/s",
);
for (const [n, f] of [
  ["user", () => m.getUserStats("user-7")],
  ["heavy", () => m.getUserStats("heavy")],
  ["global", () => m.getGlobalStats()],
  ["users", () => m.getAllUsers()],
  ["recordMetric", () => m.recordMetric("heavy", true, 1)],
]) {
  t = performance.now();
  await f();
  const first = performance.now() - t;
  const ts = [];
  for (let i = 0; i < 50; i++) {
    t = performance.now();
    await f();
    ts.push(performance.now() - t);
  }
  ts.sort((a, b) => a - b);
  console.log(n, "first", first.toFixed(1), "median", ts[25].toFixed(3), "ms");
}
await m.close();
await pool.end();
