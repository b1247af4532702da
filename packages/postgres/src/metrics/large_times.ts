import type { Session } from "../connection/connection.ts";
import type { Names } from "../layout/names.ts";
import { MEASURED } from "../layout/sums.ts";

/**
 * Mean of times whose sum exceeds the range of a double; the mean itself does not. Times below 1 ms count as 0, because
 * PostgreSQL rejects a division that underflows. `avg` is not used, because it computes squares.
 *
 * @param userId Undefined for the mean of all users.
 */
export async function meanOfLargeTimes(session: Session, names: Names, userId: string | undefined): Promise<number> {
  const scaled = `CASE WHEN abs(response_time_ms) < 1 THEN 0 ELSE response_time_ms / ${2 ** 64} END`;
  const [row] = await session.query<{ mean: number }>(
    `SELECT sum(${scaled}) / count(*) AS mean FROM ${names.interactions}
     WHERE ${MEASURED}${userId === undefined ? "" : " AND user_id = $1"}`,
    userId === undefined ? [] : [userId],
  );
  return (row?.mean ?? 0) * 2 ** 64;
}
