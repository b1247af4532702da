import { ValidationError } from "../errors/errors.ts";
import { waitWhileBusy } from "../sqlite/busy.ts";
import { type Database, DEFAULT_BUSY_TIMEOUT_MS, type Statement } from "../sqlite/open_database.ts";
import type { Durability } from "../sqlite/durability.ts";
import { assertOptions } from "../text/options.ts";
import { describe } from "../text/describe.ts";
import { type Clock, sqliteTimestamp, systemClock } from "../text/timestamps.ts";
import { openMetrics } from "./open_metrics.ts";
import type { LevelColumn } from "./schema.ts";
import { type StatisticsQueries, statisticsQueries } from "./statistics.ts";

/** Settings of a metrics collector. */
export interface MetricsOptions {
  /**
   * `full` (the default): a row that was recorded survives a power cut. `normal`: it survives a crash of the process; a
   * power cut may take the newest rows. Many times faster.
   */
  durability?: Durability | undefined;
  /** Longest wait for other processes that write, in milliseconds; 30,000 by default. */
  busyTimeoutMs?: number | undefined;
  /** Source of `timestamp`; SQLite's `CURRENT_TIMESTAMP` by default. */
  clock?: Clock | undefined;
}

/** One interaction whose values have been checked. `level` null means the user's current level, else 1. */
export interface CheckedInteraction {
  userId: string;
  level: number | null;
  success: boolean;
  responseTimeMs: number;
  metadata: string | null;
}

type Insert = Statement<(string | number | null)[]>;

/** The open metrics database of a collector with its prepared statements. */
export class InteractionLog {
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
    this.#insertAtCurrentLevel = this.#prepareInsert(
      `coalesce((SELECT ${levelColumn} FROM interactions WHERE user_id = ? ORDER BY id DESC LIMIT 1), 1)`,
      time,
    );
    this.#insertMetadata = this.#database.prepare(
      "INSERT INTO interaction_metadata (interaction_id, metadata) VALUES (?, ?)",
    ) as Insert;
    this.#statistics = statisticsQueries(this.#database, levelColumn);
  }

  /** Adds one row, with its metadata in the same transaction; returns its id. */
  append(interaction: CheckedInteraction): number {
    this.#assertOpen();
    // One statement is a transaction by itself; two need one around them.
    if (interaction.metadata === null) return waitWhileBusy(this.#timeout, () => this.#insertRow(interaction));
    return waitWhileBusy(this.#timeout, () =>
      this.#database.transaction(() => this.#insertRow(interaction)).immediate(),
    );
  }

  /** Adds all rows in one transaction: all or none. Returns how many. */
  appendAll(interactions: Iterable<CheckedInteraction>): number {
    this.#assertOpen();
    const all = Array.from(interactions);
    const insertAll = this.#database.transaction(() => {
      for (const interaction of all) this.#insertRow(interaction);
    });
    waitWhileBusy(this.#timeout, () => insertAll.immediate());
    return all.length;
  }

  get statistics(): StatisticsQueries {
    this.#assertOpen();
    return this.#statistics;
  }

  get database(): Database {
    this.#assertOpen();
    return this.#database;
  }

  /** Closes the connection; further calls say so. Closing twice does nothing. */
  close(): void {
    this.#database.close();
  }

  #insertRow({ userId, level, success, responseTimeMs, metadata }: CheckedInteraction): number {
    // A level of null means the level of the user's newest interaction, else 1 (ruling U-record-metric-level).
    const insert = level === null ? this.#insertAtCurrentLevel : this.#insertAtLevel;
    const values = [userId, level ?? userId, success ? 1 : 0, responseTimeMs];
    if (this.#ownClock) values.push(sqliteTimestamp(this.clock));
    const id = Number(insert.run(...values).lastInsertRowid);
    if (metadata !== null) this.#insertMetadata.run(id, metadata);
    return id;
  }

  #prepareInsert(level: string, timestamp: string): Insert {
    return this.#database.prepare(
      `INSERT INTO interactions (user_id, ${this.levelColumn}, success, response_time_ms, timestamp) VALUES (?, ${level}, ?, ?, ${timestamp})`,
    ) as Insert;
  }

  #assertOpen(): void {
    if (!this.#database.open)
      throw new ValidationError(`The collector of ${this.#path} was closed. Nothing was written.`);
  }
}

function assertMetricsOptions(options: MetricsOptions): void {
  assertOptions("options", options, ["durability", "busyTimeoutMs", "clock"]);
  const { durability, busyTimeoutMs, clock } = options;
  if (durability !== undefined && durability !== "full" && durability !== "normal") {
    throw new ValidationError(`durability: expected "full" or "normal", got ${describe(durability)}.`);
  }
  if (
    busyTimeoutMs !== undefined &&
    !(Number.isInteger(busyTimeoutMs) && busyTimeoutMs >= 0 && busyTimeoutMs <= 0x7fffffff)
  ) {
    throw new ValidationError(
      `busyTimeoutMs: expected a whole number of milliseconds, 0 or more, got ${describe(busyTimeoutMs)}.`,
    );
  }
  if (clock !== undefined && typeof clock !== "function") {
    throw new ValidationError(`clock: expected a function that returns a Date, got ${describe(clock)}.`);
  }
}
