import type { Database, Statement } from "../sqlite/open_database.ts";
import { type Clock, readClock, sqliteTimestamp } from "../text/timestamps.ts";
import type { CheckedInteraction } from "./checked_interaction.ts";
import { lazy } from "./lazy.ts";
import type { LevelColumn } from "./schema.ts";
import { currentLevel } from "./statistics.ts";

type Insert = Statement<(string | number | null)[]>;

/** Prepared statements that insert an interaction and its metadata. The less frequent ones are prepared at their first use. */
export class RowWriter {
  readonly #clock: Clock | undefined;
  readonly #atLevel: Insert;
  readonly #atCurrentLevel: () => Insert;
  readonly #metadata: () => Insert;

  /** @param clock Source of timestamps; SQLite's clock by default. */
  constructor(database: Database, levelColumn: LevelColumn, clock: Clock | undefined) {
    this.#clock = clock;
    const timestamp = clock === undefined ? "CURRENT_TIMESTAMP" : "?";
    this.#atLevel = insertStatement(database, levelColumn, "?", timestamp);
    const level = `coalesce(${currentLevel(levelColumn, "?")}, 1)`;
    this.#atCurrentLevel = lazy(() => insertStatement(database, levelColumn, level, timestamp));
    this.#metadata = lazy(() => metadataStatement(database));
  }

  /**
   * Adds one row, and a row for its metadata if there are any. The caller holds a transaction if there are two rows.
   * Returns the id of the interaction.
   */
  insert({ userId, level, success, responseTimeMs, metadata }: CheckedInteraction): number {
    // A level of null means the level of the user's newest interaction, or 1 (ruling U-record-metric-level).
    const insert = level === null ? this.#atCurrentLevel() : this.#atLevel;
    const values = [userId, level ?? userId, success ? 1 : 0, responseTimeMs];
    if (this.#clock !== undefined) values.push(sqliteTimestamp(readClock(this.#clock)));
    const id = Number(insert.run(...values).lastInsertRowid);
    if (metadata !== null) this.#metadata().run(id, metadata);
    return id;
  }
}

function insertStatement(database: Database, levelColumn: LevelColumn, level: string, timestamp: string): Insert {
  return database.prepare(
    `INSERT INTO interactions (user_id, ${levelColumn}, success, response_time_ms, timestamp)
     VALUES (?, ${level}, ?, ?, ${timestamp})`,
  ) as Insert;
}

function metadataStatement(database: Database): Insert {
  return database.prepare("INSERT INTO interaction_metadata (interaction_id, metadata) VALUES (?, ?)") as Insert;
}

/**
 * Compiles the inserts.
 *
 * @param isComplete False if only the table `interactions` exists.
 * @throws SqliteError if invalid triggers or tables prevent that.
 */
export function assertRowsFit(database: Database, levelColumn: LevelColumn, isComplete: boolean): void {
  void insertStatement(database, levelColumn, "?", "?");
  if (isComplete) void metadataStatement(database);
}
