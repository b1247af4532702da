import type { Overview } from "@perdura/internals/metrics/overview_stats.js";
import type { Range } from "@perdura/internals/metrics/time_range.js";
import { rate } from "@perdura/internals/metrics/user_stats.js";
import type { QueryResultRow } from "pg";
import type { Session } from "../connection/connection.ts";
import type { Names } from "../layout/names.ts";
import { MEASURED } from "../layout/sums.ts";
import { Parameters } from "./parameters.ts";

type Found = QueryResultRow & Omit<Overview, "success_rate" | "without_time"> & { successes: number };

const LEVEL_COUNTS = [1, 2, 3, 4, 5]
  .map((level) => `(count(*) FILTER (WHERE i.level = ${level}))::float8 AS level_${level}_count`)
  .join(", ");

/** Reads the figures of the interactions between two moments from the rows. */
export async function readOverviewBetween(session: Session, names: Names, range: Range): Promise<Overview> {
  const given = new Parameters();
  const [found] = await session.query<Found>(
    `SELECT count(DISTINCT i.user_id)::float8 AS users, count(*)::float8 AS operations,
       (count(*) FILTER (WHERE i.success))::float8 AS successes,
       coalesce(avg(i.response_time_ms::numeric) FILTER (WHERE ${MEASURED}), 0)::float8 AS avg_response_time_ms,
       ${LEVEL_COUNTS}, min(i.timestamp COLLATE "C") AS first_use, max(i.timestamp COLLATE "C") AS last_use
     FROM ${names.interactions} AS i WHERE ${given.conditions(names, { user: undefined, range })}`,
    given.values,
  );
  if (found === undefined) throw new Error("The totals of all users must be one row.");
  const { successes, ...counts } = found;
  return { ...counts, success_rate: rate(successes, counts.operations), without_time: 0 };
}

/** Reads the ids of the users with the most interactions between two moments. */
export async function readTopUsersBetween(
  session: Session,
  names: Names,
  range: Range,
  limit: number,
): Promise<string[]> {
  const given = new Parameters();
  const found = await session.query<{ user_id: string }>(
    `SELECT i.user_id FROM ${names.interactions} AS i WHERE ${given.conditions(names, { user: undefined, range })}
     GROUP BY 1 ORDER BY count(*) DESC, i.user_id COLLATE "C" LIMIT ${given.add(limit)}`,
    given.values,
  );
  return found.map(({ user_id }) => user_id);
}
