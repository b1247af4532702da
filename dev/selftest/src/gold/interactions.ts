import type { JsonObject, JsonValue } from "../../../../packages/conformance/src/values/json_value.ts";

/**
 * Time at which the gold files of our own lines were written; each metrics row is one minute younger than the previous
 * one.
 */
const BEGAN: string = "2025-06-01T12:00:00";

/** The interactions of a metrics database; `metadata` makes it a `record_metric` at the user's current level. */
export interface Interaction {
  user_id: string;
  level: number;
  success: boolean;
  response_time_ms: number;
  metadata?: JsonObject;
}
export const INTERACTIONS: readonly Interaction[] = [
  { user_id: "alice", level: 3, success: true, response_time_ms: 120.5 },
  { user_id: "alice", level: 4, success: false, response_time_ms: 80 },
  { user_id: "alice", level: 4, success: true, response_time_ms: 60, metadata: { tool: "search", attempts: 2 } },
  { user_id: "alice", level: 4, success: true, response_time_ms: 40 },
  { user_id: "bob", level: 1, success: false, response_time_ms: 0 },
  { user_id: "Zoë 美咲", level: 5, success: true, response_time_ms: 0, metadata: { note: "naïve 😀" } },
];

/**
 * The statistics that a reader must get from the metrics database, computed from the interactions.
 * @param clock false leaves out the first and the last use, because they are the time of writing.
 */
export function expectedStatistics(clock: boolean): JsonObject {
  const users = [...new Set(INTERACTIONS.map((one) => one.user_id))].toSorted();
  return {
    all_users: users,
    users: Object.fromEntries(users.map((user) => [user, statisticsOf(user, clock)])),
    global: {
      total_users: users.length,
      total_interactions: INTERACTIONS.length,
      success_rate: rate(INTERACTIONS),
    },
  };
}

function statisticsOf(user: string, clock: boolean): JsonObject {
  const own = INTERACTIONS.filter((one) => one.user_id === user);
  const times = INTERACTIONS.flatMap((one, index) => (one.user_id === user ? [timestamp(index)] : []));
  return {
    total_operations: own.length,
    success_rate: rate(own),
    avg_response_time_ms: own.reduce((sum, one) => sum + one.response_time_ms, 0) / own.length,
    ...Object.fromEntries(
      [1, 2, 3, 4, 5].map((level) => [`level_${level}_count`, own.filter((one) => one.level === level).length]),
    ),
    current_level: own.at(-1)?.level as JsonValue,
    ...(clock ? { first_use: times[0] as string, last_use: times.at(-1) as string } : {}),
  };
}

const rate = (rows: readonly Interaction[]): number => rows.filter((one) => one.success).length / rows.length;

/** The time of a row in SQLite's format. */
const timestamp = (row: number): string => moment(row).toISOString().slice(0, 19).replace("T", " ");

/** The time of a row. */
export function moment(row: number): Date {
  return new Date(Date.parse(`${BEGAN}Z`) + row * 60_000);
}
