import type { GlobalStats, UserStats } from "@perdura/v16";
import type { Pool } from "pg";

/** A row of the table `interactions`, numbers as numbers. */
interface Row {
  id: number;
  user_id: string;
  level: number;
  success: boolean;
  response_time_ms: number | null;
  timestamp: string | null;
}

/** Statistics counted from all rows, without the statements under test. */
export interface Counted {
  user(userId: string): UserStats;
  global: GlobalStats;
  users: string[];
}

export async function countedRows(pool: Pool): Promise<Counted> {
  const { rows } = await pool.query<Row>(
    "SELECT id::float8 AS id, user_id, level::int, success, response_time_ms::float8, timestamp FROM interactions ORDER BY id",
  );
  const users = [...new Set(rows.map(({ user_id }) => user_id))].toSorted((left, right) =>
    Buffer.compare(Buffer.from(left), Buffer.from(right)),
  );
  return {
    users,
    global: {
      total_users: users.length,
      total_interactions: rows.length,
      success_rate: rows.length === 0 ? 0 : rows.filter(({ success }) => success).length / rows.length,
    },
    user: (userId) => countedUser(rows.filter(({ user_id }) => user_id === userId)),
  };
}

function countedUser(rows: readonly Row[]): UserStats {
  const times = rows.flatMap(({ response_time_ms: time }) => (Number.isFinite(time) ? [time as number] : []));
  const level = rows.findLast((row) => row.level >= 1 && row.level <= 5)?.level;
  const timestamps = rows.flatMap(({ timestamp }) => (timestamp === null ? [] : [timestamp])).toSorted();
  const count = (wanted: number): number => rows.filter((row) => row.level === wanted).length;
  return {
    total_operations: rows.length,
    success_rate: rows.length === 0 ? 0 : rows.filter(({ success }) => success).length / rows.length,
    // Divided first: a sum may exceed a double.
    avg_response_time_ms: times.reduce((mean, time) => mean + time / times.length, 0),
    level_1_count: count(1),
    level_2_count: count(2),
    level_3_count: count(3),
    level_4_count: count(4),
    level_5_count: count(5),
    ...(level === undefined ? {} : { current_level: level }),
    first_use: timestamps[0] ?? null,
    last_use: timestamps.at(-1) ?? null,
  };
}

/** Removes the mean, which is rounded in another order. */
export function withoutMean(stats: UserStats): Omit<UserStats, "avg_response_time_ms"> {
  const { avg_response_time_ms: _, ...rest } = stats;
  return rest;
}
