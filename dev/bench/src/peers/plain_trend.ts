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

  constructor(path: string) {
    this.#database = new Database(path, { readonly: true });
    this.#user = this.#database.prepare(`SELECT ${COLUMNS} FROM interactions WHERE user_id = ? GROUP BY 1 ORDER BY 1`);
    this.#global = this.#database.prepare(`SELECT ${COLUMNS} FROM interactions GROUP BY 1 ORDER BY 1`);
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
