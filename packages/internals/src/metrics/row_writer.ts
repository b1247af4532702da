import { StorageError } from "../errors/errors.ts";
import type { Database, Statement } from "../sqlite/open_database.ts";
import { type Clock, readClock, sqliteTimestamp } from "../text/timestamps.ts";
import { type UsedUpIds, usedUpAt, usedUpIds } from "../validity/exact_ids.ts";
import { IgnoredRow } from "../validity/ignored_row.ts";
import { currentLevel } from "./aggregates.ts";
import type { CheckedInteraction } from "./checked_interaction.ts";
import { lazy } from "./lazy.ts";
import type { LevelColumn } from "./schema.ts";

type Insert = Statement<(string | number | null)[]>;

/** Prepared statements that insert an interaction and its metadata. The less frequent ones are prepared at their first use. */
export class RowWriter {
  readonly #database: Database;
  readonly #path: string;
  readonly #clock: Clock | undefined;
  readonly #atLevel: Insert;
  readonly #atCurrentLevel: () => Insert;
  readonly #metadata: () => Insert;

  /**
   * @param path Path of the database, for errors.
   * @param clock Source of timestamps; SQLite's clock by default.
   */
  constructor(database: Database, path: string, levelColumn: LevelColumn, clock: Clock | undefined) {
    this.#database = database;
    this.#path = path;
    this.#clock = clock;
    const timestamp = clock === undefined ? "CURRENT_TIMESTAMP" : "?";
    const success = `CASE WHEN ${usedUpIds(database, "interactions")} THEN ${REFUSED} ELSE ? END`;
    this.#atLevel = insertStatement(database, levelColumn, { level: "?", success, timestamp });
    const level = `coalesce(${currentLevel(levelColumn, "?")}, 1)`;
    this.#atCurrentLevel = lazy(() => insertStatement(database, levelColumn, { level, success, timestamp }));
    this.#metadata = lazy(() => metadataStatement(database));
  }

  /**
   * Adds one row, and a row for its metadata if there are any. The caller holds a transaction if there are two rows.
   * Returns the id of the interaction.
   *
   * @throws StorageError if the next id would not be exact (ruling U-exact-ids), or if a trigger of another program
   * or a conflict clause ignores a row. The caller rolls its transaction back.
   */
  insert({ userId, level, success, responseTimeMs, metadata }: CheckedInteraction): number {
    // A level of null means the level of the user's newest interaction, or 1 (ruling U-record-metric-level).
    const insert = level === null ? this.#atCurrentLevel() : this.#atLevel;
    const values = [userId, level ?? userId, success ? 1 : 0, responseTimeMs];
    if (this.#clock !== undefined) values.push(sqliteTimestamp(readClock(this.#clock)));
    const id = this.#add(insert, values);
    if (metadata !== null && this.#metadata().run(id, metadata).changes === 0)
      throw new IgnoredRow(this.#database, "interaction_metadata", this.#path);
    return id;
  }

  #add(insert: Insert, values: (string | number | null)[]): number {
    let added: ReturnType<Insert["run"]>;
    try {
      added = insert.run(...values);
    } catch (error) {
      const used =
        (error as { code?: unknown }).code === "SQLITE_TOOBIG" ? usedUpAt(this.#database, "interactions") : undefined;
      throw used === undefined ? error : usedUp(this.#path, used);
    }
    if (added.changes === 0) throw new IgnoredRow(this.#database, "interactions", this.#path);
    return Number(added.lastInsertRowid);
  }
}

/** SQL that fails with an error code that no other part of the inserts has: a value longer than SQLite allows. */
const REFUSED = "zeroblob(9223372036854775807)";

function usedUp(path: string, { reason, wayOut }: UsedUpIds): StorageError {
  return new StorageError(`${reason}. Nothing was written. ${wayOut}`, { path });
}

/** SQL for values of an interaction, `?` for those that are given. */
interface ValuesSql {
  level: string;
  success: string;
  timestamp: string;
}

const GIVEN: ValuesSql = { level: "?", success: "?", timestamp: "?" };

function insertStatement(
  database: Database,
  levelColumn: LevelColumn,
  { level, success, timestamp }: ValuesSql,
): Insert {
  return database.prepare(
    `INSERT INTO interactions (user_id, ${levelColumn}, success, response_time_ms, timestamp)
     VALUES (?, ${level}, ${success}, ?, ${timestamp})`,
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
  void insertStatement(database, levelColumn, GIVEN);
  if (isComplete) void metadataStatement(database);
}
