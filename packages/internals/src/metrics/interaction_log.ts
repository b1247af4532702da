import { ValidationError } from "../errors/errors.ts";
import { withStorage } from "../errors/storage_errors.ts";
import { waitWhileBusy } from "../sqlite/busy.ts";
import { type Database, DEFAULT_BUSY_TIMEOUT_MS, type Statement } from "../sqlite/open_database.ts";
import { type Clock, readClock, sqliteTimestamp, systemClock } from "../text/timestamps.ts";
import type { CheckedInteraction } from "./checked_interaction.ts";
import type { CollectorLog } from "./collector_base.ts";
import { exportInteractions } from "./export.ts";
import { openMetrics } from "./open_metrics.ts";
import type { LevelColumn } from "./schema.ts";
import { rollupStatistics } from "./rollup/rollup_statistics.ts";
import { currentLevel } from "./statistics.ts";
import type { StatisticsQueries } from "./stats.ts";
import { assertMetricsOptions, type MetricsOptions } from "./options.ts";

type Insert = Statement<(string | number | null)[]>;

/** The open metrics database of a collector with its prepared statements. */
export class InteractionLog implements CollectorLog {
  readonly levelColumn: LevelColumn;
  readonly clock: Clock;
  readonly #database: Database;
  readonly #path: string;
  readonly #timeout: number;
  readonly #ownClock: boolean;
  readonly #insertAtLevel: Insert;
  readonly #insertAtCurrentLevel: Insert;
  readonly #insertMetadata: Insert;
  readonly #statistics: StatisticsQueries;

  constructor(dbPath: string, levelColumn: LevelColumn, options: MetricsOptions = {}) {
    assertMetricsOptions(options);
    this.levelColumn = levelColumn;
    this.clock = options.clock ?? systemClock;
    this.#path = dbPath;
    this.#ownClock = options.clock !== undefined;
    this.#timeout = options.busyTimeoutMs ?? DEFAULT_BUSY_TIMEOUT_MS;
    this.#database = openMetrics(dbPath, levelColumn, options);
    const time = this.#ownClock ? "?" : "CURRENT_TIMESTAMP";
    this.#insertAtLevel = this.#prepareInsert("?", time);
    this.#insertAtCurrentLevel = this.#prepareInsert(`coalesce(${currentLevel(levelColumn, "?")}, 1)`, time);
    this.#insertMetadata = this.#database.prepare(
      "INSERT INTO interaction_metadata (interaction_id, metadata) VALUES (?, ?)",
    ) as Insert;
    this.#statistics = rollupStatistics(this.#database, levelColumn, { busyTimeoutMs: this.#timeout });
  }

  /** Adds one row, with its metadata in the same transaction; returns its id. */
  append(interaction: CheckedInteraction): number {
    this.#assertOpen();
    return this.#store("recording", () => {
      // One statement is a transaction by itself; two need one around them.
      if (interaction.metadata === null) return this.#insertRow(interaction);
      return this.#database.transaction(() => this.#insertRow(interaction)).immediate();
    });
  }

  /** Adds all rows in one transaction: all or none. Returns how many. */
  appendAll(interactions: Iterable<CheckedInteraction>): number {
    this.#assertOpen();
    const all = Array.from(interactions);
    const insertAll = this.#database.transaction(() => {
      for (const interaction of all) this.#insertRow(interaction);
    });
    this.#store("recording", () => insertAll.immediate());
    return all.length;
  }

  /** Answers questions about what is recorded. */
  ask<Answer>(question: (statistics: StatisticsQueries) => Answer): Answer {
    this.#assertOpen();
    return this.#store("reading", () => question(this.#statistics));
  }

  /** Writes all rows to a file; see {@link exportInteractions}. */
  exportTo(filepath: string): number {
    this.#assertOpen();
    const source = {
      database: this.#database,
      levelColumn: this.levelColumn,
      statistics: this.#statistics,
      clock: this.clock,
    };
    return this.#store("reading", () => exportInteractions(source, filepath));
  }

  /** Closes the connection; further calls say so. Closing twice does nothing. */
  close(): void {
    this.#database.close();
  }

  #insertRow({ userId, level, success, responseTimeMs, metadata }: CheckedInteraction): number {
    // A level of null means the level of the user's newest interaction, else 1 (ruling U-record-metric-level).
    const insert = level === null ? this.#insertAtCurrentLevel : this.#insertAtLevel;
    const values = [userId, level ?? userId, success ? 1 : 0, responseTimeMs];
    if (this.#ownClock) values.push(sqliteTimestamp(readClock(this.clock)));
    const id = Number(insert.run(...values).lastInsertRowid);
    if (metadata !== null) this.#insertMetadata.run(id, metadata);
    return id;
  }

  #prepareInsert(level: string, timestamp: string): Insert {
    return this.#database.prepare(
      `INSERT INTO interactions (user_id, ${this.levelColumn}, success, response_time_ms, timestamp) VALUES (?, ${level}, ?, ?, ${timestamp})`,
    ) as Insert;
  }

  #store<Result>(action: string, task: () => Result): Result {
    return withStorage(this.#path, action, () => waitWhileBusy(this.#timeout, task));
  }

  #assertOpen(): void {
    if (!this.#database.open) throw new ValidationError(`The collector of ${this.#path} was closed.`);
  }
}
