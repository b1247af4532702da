import type { ListedUser, Overview } from "@perdura/internals/metrics/overview_stats.js";
import { rate } from "@perdura/internals/metrics/user_stats.js";
import type { Session } from "../connection/connection.ts";
import type { Names } from "../layout/names.ts";
import { meanOfLargeTimes } from "./large_times.ts";
import type { StatisticsReader } from "./statistics_reader.ts";
import { COUNTS, SUMS } from "./sums.ts";

interface Sums {
  operations: number;
  successes: number;
  measured: number;
  ms: number;
  /** Number of times that are too large to be added. */
  beyond: number;
}

/**
 * Answers about all users together, from the sums and the rows that they do not contain. Reads in the transaction of
 * the caller, in which all statements see one moment, and writes nothing.
 */
export class OverviewReader {
  readonly #session: Session;
  readonly #names: Names;
  readonly #questions: StatisticsReader;

  constructor(session: Session, names: Names, questions: StatisticsReader) {
    this.#session = session;
    this.#names = names;
    this.#questions = questions;
  }

  async overview(): Promise<Overview> {
    const { users, dated } = await this.#parts();
    const [found] = await this.#session.query<
      Sums & { users: number } & Omit<Overview, "operations" | "success_rate" | "avg_response_time_ms" | "without_time">
    >(
      `SELECT count(*) AS users, ${COUNTS.map((count) => `coalesce(sum(${count}), 0)${typeOf(count)} AS ${count}`).join(", ")},
         min(first_use) AS first_use, max(last_use) AS last_use
       FROM (${users}) AS users`,
    );
    const [times] = await this.#session.query<{ dated: number }>(`SELECT ${dated} AS dated`);
    if (found === undefined || times === undefined) throw new Error("The totals of all users must be one row.");
    const { successes, measured, ms, beyond, ...counts } = found;
    return {
      ...counts,
      success_rate: rate(successes, counts.operations),
      avg_response_time_ms:
        beyond === 0 ? rate(ms, measured) : await meanOfLargeTimes(this.#session, this.#names, undefined),
      without_time: counts.operations - times.dated,
    };
  }

  /** Users with the most interactions first, users with equal numbers in the order of code points. */
  async topUsers(limit: number): Promise<ListedUser[]> {
    const { users } = await this.#parts();
    const found = await this.#session.query<{ user_id: string }>(
      `SELECT user_id FROM (${users}) AS users ORDER BY operations DESC, user_id LIMIT $1`,
      [String(limit)],
    );
    const listed: ListedUser[] = [];
    for (const { user_id } of found) listed.push({ user_id, ...(await this.#questions.user(user_id, this.#session)) });
    return listed;
  }

  /** SQL for the sums of every user, and for the number of rows with a readable time. */
  async #parts(): Promise<{ users: string; dated: string }> {
    const { interactions, userRollup, userDays, days, staleUsers, rollup, sumsValid, day } = this.#names;
    // As a literal, because the planner would expect a third of all rows above an unknown number.
    const [state] = await this.#session.query<{ watermark: string }>(
      `SELECT watermark::text AS watermark FROM ${rollup} WHERE ${sumsValid}()`,
    );
    const stale = `(SELECT user_id FROM ${staleUsers})`;
    const added = `recorded_by >= ${state?.watermark ?? "-1"} AND user_id NOT IN ${stale}`;
    const recounted = `user_id IN ${stale}`;
    const sums = COUNTS.map((count) => `sum(${count})${typeOf(count)} AS ${count}`).join(", ");
    const ends = "max(newest) AS newest, min(first_use) AS first_use, max(last_use) AS last_use";
    const known = `SELECT user_id, ${COUNTS.join(", ")}, newest, first_use, last_use FROM ${userRollup}
      WHERE user_id NOT IN ${stale}`;
    const rows = (condition: string): string =>
      `SELECT user_id, ${SUMS} FROM ${interactions} WHERE ${condition} GROUP BY user_id`;
    const parts = [...(state === undefined ? [] : [known]), rows(added), rows(recounted)];
    const datedRows = (condition: string): string =>
      `(SELECT count(${day}(timestamp)) FROM ${interactions} WHERE ${condition})`;
    const datedSums = `(SELECT coalesce(sum(operations), 0)::bigint FROM ${days})
      - (SELECT coalesce(sum(operations), 0)::bigint FROM ${userDays} WHERE user_id IN ${stale})`;
    return {
      users: `SELECT user_id, ${sums}, ${ends} FROM (${parts.join(" UNION ALL ")}) AS parts GROUP BY user_id`,
      dated: [...(state === undefined ? [] : [datedSums]), datedRows(added), datedRows(recounted)].join(" + "),
    };
  }
}

/** The sum of whole numbers is a decimal number, which would be read as text. */
function typeOf(count: string): string {
  return count === "ms" ? "" : "::bigint";
}
