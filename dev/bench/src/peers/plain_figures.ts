import Database from "better-sqlite3";
import { PlainTrend } from "./plain_trend.ts";

const LEVELS = [1, 2, 3, 4, 5].map((level) => `count(CASE WHEN level = ${level} THEN 1 END)`).join(", ");
const RATES = "avg(CASE WHEN success THEN 1.0 ELSE 0.0 END), avg(response_time_ms), min(timestamp), max(timestamp)";

/** Users that a page lists. */
const USERS = 1000;

/** Queries the figures of a page from the table of interactions: totals, a trend by day, and the users with the most rows. */
export function plainFigures(path: string): number {
  const database = new Database(path, { readonly: true });
  const trend = new PlainTrend(path);
  try {
    const totals = database
      .prepare(`SELECT count(*), count(DISTINCT user_id), ${RATES}, ${LEVELS} FROM interactions`)
      .all();
    const users = database
      .prepare(`SELECT user_id, count(*), ${RATES} FROM interactions GROUP BY user_id ORDER BY 2 DESC LIMIT ${USERS}`)
      .all();
    return totals.length + users.length + trend.global().length;
  } finally {
    trend.close();
    database.close();
  }
}
