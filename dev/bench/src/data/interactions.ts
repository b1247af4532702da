import { existsSync } from "node:fs";
import { join } from "node:path";
import { rollupStatistics } from "@perdura/internals/metrics/rollup/rollup_statistics.js";
import {
  INTERACTION_INDEXES,
  INTERACTION_METADATA_TABLE,
  interactionsTable,
} from "@perdura/internals/metrics/schema.js";
import Database from "better-sqlite3";
import { METRICS_INDEXES, METRICS_TABLE } from "../peers/connection_per_call.ts";

/** A database of interactions with a realistic distribution over its users. */
export interface DataSet {
  /** `plain` is perdura's layout without the rollup, as an earlier program left the file. */
  layout: "perdura" | "plain" | "original";
  rows: number;
  /**
   * Users with about the same number of rows each; one row in twenty belongs to {@link HEAVY_USER}, an additional user.
   */
  users: number;
}

export const HEAVY_USER = "heavy";

/** Exists in every data set; has about 500 rows with {@link typicalUsers}. */
export const TYPICAL_USER = "user-0";

/** All data sets have the same 116 days; with ten million rows there is one each second. */
const SPAN_S = 10_000_000;

/** SQL of SQLite and of PostgreSQL for the user, level, success and response time of the row with the number `n`, from 1 on. */
export const rowValues = (users: number): string =>
  `CASE WHEN n % 20 = 0 THEN '${HEAVY_USER}' ELSE 'user-' || ((n - n / 20 - 1) % ${users}) END,
      1 + n / 3 % 5, n % 3 <> 0, (n * 31 % 100000) / 10.0`;

/** SQL for the time of that row, in seconds since 1970. */
export const rowSeconds = (rows: number): string => `1600000000 + n * ${SPAN_S / rows}`;

export function typicalUsers(rows: number): number {
  return Math.max(1, Math.round((rows * 0.95) / 500));
}

const LAYOUTS = {
  perdura: {
    table: "interactions",
    level: "level",
    create: [interactionsTable("level"), INTERACTION_METADATA_TABLE],
    indexes: Object.values(INTERACTION_INDEXES),
  },
  original: { table: "metrics", level: "empathy_level", create: [METRICS_TABLE], indexes: METRICS_INDEXES },
};

/** The path of a data set below a directory; made at the first call. */
export function dataFile(directory: string, { layout, rows, users }: DataSet): string {
  const path = join(directory, `${layout}-${rows}-${users}.db`);
  if (existsSync(path)) return path;
  const { table, level, create, indexes } = LAYOUTS[layout === "original" ? "original" : "perdura"];
  const database = new Database(path);
  database.pragma("journal_mode = OFF");
  database.pragma("synchronous = OFF");
  database.pragma("cache_size = -200000");
  for (const statement of create) database.exec(statement);
  // In order of time, with a user's rows far apart, as programs record them; indexes are created last.
  database.exec(`WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${rows})
    INSERT INTO ${table} (user_id, ${level}, success, response_time_ms, timestamp)
    SELECT ${rowValues(users)}, datetime(${rowSeconds(rows)}, 'unixepoch') FROM numbers`);
  for (const statement of indexes) database.exec(statement);
  if (layout !== "original") database.pragma("journal_mode = WAL");
  // Larger pieces update the sums of a user less often; no other program waits for the lock here.
  if (layout === "perdura") rollupStatistics(database, "level", { piece: 1_000_000 }).foldAll();
  database.close();
  return path;
}
