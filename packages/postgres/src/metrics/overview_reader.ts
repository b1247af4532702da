import type { ListedUser, Overview } from "@perdura/internals/metrics/overview_stats.js";
import { rate } from "@perdura/internals/metrics/user_stats.js";
import type { QueryResultRow } from "pg";
import type { Session } from "../connection/connection.ts";
import { namesOfShard, namesWithoutSums } from "../layout/names.ts";
import { overviewOfShards, overviewSql, type OverviewSql } from "../layout/overview_functions.ts";
import type { Tables } from "../layout/set_up.ts";
import { meanOfLargeTimes } from "./large_times.ts";
import type { StatisticsReader } from "./statistics_reader.ts";

type Found = Omit<Overview, "success_rate" | "avg_response_time_ms" | "without_time"> & {
  successes: number;
  measured: number;
  ms: number;
  /** Number of times that are too large to be added. */
  beyond: number;
  /** Number of rows with a readable time. */
  dated: number;
};

/**
 * Answers about all users together, from the sums and the rows that they do not contain. Reads in the transaction of
 * the caller, in which all statements see one moment, and writes nothing.
 */
export class OverviewReader {
  readonly #session: Session;
  readonly #tables: Tables;
  readonly #questions: StatisticsReader;

  constructor(session: Session, tables: Tables, questions: StatisticsReader) {
    this.#session = session;
    this.#tables = tables;
    this.#questions = questions;
  }

  async overview(): Promise<Overview> {
    const [found] = await this.#answer<Found>(({ overview }) => overview, []);
    if (found === undefined) throw new Error("The totals of all users must be one row.");
    const { successes, measured, ms, beyond, dated, ...counts } = found;
    return {
      ...counts,
      success_rate: rate(successes, counts.operations),
      avg_response_time_ms:
        beyond === 0 ? rate(ms, measured) : await meanOfLargeTimes(this.#session, this.#tables.names, undefined),
      without_time: counts.operations - dated,
    };
  }

  /** Users with the most interactions first, users with equal numbers in the order of code points. */
  async topUsers(limit: number): Promise<ListedUser[]> {
    const found = await this.#answer<{ user_id: string }>(({ topUsers }) => topUsers("$1::bigint"), [String(limit)]);
    const listed: ListedUser[] = [];
    for (const { user_id } of found) listed.push({ user_id, ...(await this.#questions.user(user_id, this.#session)) });
    return listed;
  }

  /** Asks the shards, if there are any and all of them have sums; otherwise the tables. */
  async #answer<Row extends QueryResultRow>(
    question: (sql: OverviewSql) => string,
    values: readonly string[],
  ): Promise<Row[]> {
    const { names, isDistributed } = this.#tables;
    if (isDistributed) {
      const ofShards = overviewOfShards(names, namesOfShard(names.schemaName));
      const found = await this.#session.query<Row>(question(ofShards), values);
      if (found.length > 0) return found;
    }
    const watermark = await this.#watermark();
    const ofTables =
      watermark === undefined
        ? overviewSql(namesWithoutSums(names.schemaName), "-1", "false")
        : overviewSql(names, watermark, "true");
    return this.#session.query<Row>(question(ofTables), values);
  }

  /** The transaction number from which rows are counted; undefined if the role may not use the sums, or if they are invalid. */
  async #watermark(): Promise<string | undefined> {
    const { rollup, sumsValid } = this.#tables.names;
    const [sums] = await this.#session.query<{ valid: boolean }>(`SELECT ${sumsValid}() AS valid`);
    if (sums?.valid !== true) return undefined;
    const [state] = await this.#session.query<{ watermark: string }>(
      `SELECT watermark::text AS watermark FROM ${rollup}`,
    );
    return state?.watermark;
  }
}
