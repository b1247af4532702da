import type { Database, Statement } from "../sqlite/open_database.ts";
import { type Clock, readClock, sqliteTimestamp } from "../text/timestamps.ts";
import type { CheckedInteraction } from "./checked_interaction.ts";
import type { LevelColumn } from "./schema.ts";
import { currentLevel } from "./statistics.ts";

type Insert = Statement<(string | number | null)[]>;

/** The prepared statements that put an interaction and its metadata into the tables. */
export class RowWriter {
  readonly #clock: Clock | undefined;
  readonly #atLevel: Insert;
  readonly #atCurrentLevel: Insert;
  readonly #metadata: Insert;

  /** @param clock Where timestamps come from; by default SQLite's own clock. */
  constructor(database: Database, levelColumn: LevelColumn, clock: Clock | undefined) {
    this.#clock = clock;
    const timestamp = clock === undefined ? "CURRENT_TIMESTAMP" : "?";
    this.#atLevel = insertStatement(database, levelColumn, "?", timestamp);
    const level = `coalesce(${currentLevel(levelColumn, "?")}, 1)`;
    this.#atCurrentLevel = insertStatement(database, levelColumn, level, timestamp);
    this.#metadata = database.prepare(
      "INSERT INTO interaction_metadata (interaction_id, metadata) VALUES (?, ?)",
    ) as Insert;
  }

  /** Adds one row, and one of metadata where there is some; the caller sees to a transaction. Returns the row's id. */
  insert({ userId, level, success, responseTimeMs, metadata }: CheckedInteraction): number {
    // A level of null means the level of the user's newest interaction, else 1 (ruling U-record-metric-level).
    const insert = level === null ? this.#atCurrentLevel : this.#atLevel;
    const values = [userId, level ?? userId, success ? 1 : 0, responseTimeMs];
    if (this.#clock !== undefined) values.push(sqliteTimestamp(readClock(this.#clock)));
    const id = Number(insert.run(...values).lastInsertRowid);
    if (metadata !== null) this.#metadata.run(id, metadata);
    return id;
  }
}

function insertStatement(database: Database, levelColumn: LevelColumn, level: string, timestamp: string): Insert {
  return database.prepare(
    `INSERT INTO interactions (user_id, ${levelColumn}, success, response_time_ms, timestamp)
     VALUES (?, ${level}, ?, ?, ${timestamp})`,
  ) as Insert;
}

/**
 * Lets SQLite compile what puts a row into `interactions`, also where the other tables are missing yet.
 *
 * @throws SqliteError where that cannot be done, for triggers or tables that make no sense.
 */
export function assertRowsFit(database: Database, levelColumn: LevelColumn): void {
  void insertStatement(database, levelColumn, "?", "?");
}
