import Database from "better-sqlite3";

/** Columns of a trend by day, as a program computes it that has only the table. It has no trust, which SQL cannot add up. */
const COLUMNS = `date(timestamp) AS period, count(*) AS total_operations,
  avg(CASE WHEN success THEN 1.0 ELSE 0.0 END) AS success_rate, avg(response_time_ms) AS avg_response_time_ms,
  ${[1, 2, 3, 4, 5].map((level) => `count(CASE WHEN level = ${level} THEN 1 END) AS level_${level}_count`).join(", ")}`;

/** Aggregates the rows for each trend, on a connection that stays open, with prepared statements. */
export class PlainTrend {
  readonly #database: Database.Database;
  readonly #user: Database.Statement<[string]>;
  readonly #global: Database.Statement<[]>;
  readonly #userBetween: Database.Statement<[string, string, string]>;
  readonly #globalBetween: Database.Statement<[string, string]>;

  constructor(path: string) {
    this.#database = new Database(path, { readonly: true });
    this.#user = this.#database.prepare(`SELECT ${COLUMNS} FROM interactions WHERE user_id = ? GROUP BY 1 ORDER BY 1`);
    this.#global = this.#database.prepare(`SELECT ${COLUMNS} FROM interactions GROUP BY 1 ORDER BY 1`);
    const figures = `count(*), avg(CASE WHEN success THEN 1.0 ELSE 0.0 END)`;
    const between = "timestamp >= ? AND timestamp < ?";
    this.#userBetween = this.#database.prepare(
      `SELECT ${figures}, avg(response_time_ms), min(timestamp), max(timestamp) FROM interactions WHERE user_id = ? AND ${between}`,
    );
    this.#globalBetween = this.#database.prepare(
      `SELECT ${figures}, count(DISTINCT user_id) FROM interactions WHERE ${between}`,
    );
  }

  /** Statistics of a user between two moments. */
  userBetween(userId: string, since: string, until: string): unknown {
    return this.#userBetween.get(userId, since, until);
  }

  /** Statistics of all users between two moments. */
  globalBetween(since: string, until: string): unknown {
    return this.#globalBetween.get(since, until);
  }

  user(userId: string): unknown[] {
    return this.#user.all(userId);
  }

  global(): unknown[] {
    return this.#global.all();
  }

  close(): void {
    this.#database.close();
  }
}
