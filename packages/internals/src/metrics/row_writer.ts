import { StorageError } from "../errors/errors.ts";
import type { Database, Statement } from "../sqlite/open_database.ts";
import { type Clock, readClock, sqliteTimestamp, systemClock } from "../text/timestamps.ts";
import { HIGHEST_ID, type UsedUpIds, hasCounters, usedUpAt, usedUpBy, usedUpIds } from "../validity/exact_ids.ts";
import { IgnoredRow } from "../validity/ignored_row.ts";
import { currentLevel } from "./aggregates.ts";
import type { CheckedInteraction } from "./checked_interaction.ts";
import { ForeignConflicts } from "./foreign_conflicts.ts";
import { lazy } from "../runtime/lazy.ts";
import type { LevelColumn } from "./schema.ts";

type Insert = Statement<(string | number | null)[]>;

/** Statements that insert an interaction and its metadata. The less frequent ones are prepared at their first use. */
interface Inserts {
  atLevel: Insert;
  atCurrentLevel: () => Insert;
  metadata: () => Insert;
  /** The timestamp of a row; undefined if SQLite's clock gives it. */
  now: (() => string) | undefined;
}

/** Inserts without a call of a function. */
interface QuickInserts extends Inserts {
  now: () => string;
  /** Inserts {@link TOGETHER} interactions at their levels; the next one, their metadata. */
  together: () => Insert;
  metadataTogether: () => Insert;
}

/** Number of rows of one statement, which takes half the time of as many statements. More make no difference. */
const TOGETHER = 16;

/** Number of users whose levels are kept while many rows are added, which saves a query for each row without one. */
const MOST_KNOWN = 10_000;

type AtLevel = CheckedInteraction & { level: number };

/** Adds one row, and a row for its metadata if there are any; returns the id of the interaction. */
export type InsertRow = (interaction: CheckedInteraction) => number;

/** Inserts interactions. */
export class RowWriter {
  readonly #database: Database;
  readonly #path: string;
  readonly #inserts: Inserts;
  readonly #quickInserts: () => QuickInserts;
  readonly #newestLevel: () => Statement<[string], number>;
  readonly #conflicts: () => ForeignConflicts;
  readonly #idsAreUsedUp: () => Statement<[], number>;

  /**
   * Compiles the insert of an interaction.
   *
   * @param path Path of the database, for errors.
   * @param clock Source of timestamps; the system's clock by default.
   * @param isCounted What {@link hasCounters} returns.
   * @throws SqliteError if invalid triggers or tables prevent that.
   */
  constructor(
    database: Database,
    path: string,
    levelColumn: LevelColumn,
    clock: Clock | undefined,
    isCounted: boolean = hasCounters(database),
  ) {
    this.#database = database;
    this.#path = path;
    const isUsedUp = usedUpIds("interactions", isCounted);
    this.#inserts = checkedInserts(database, levelColumn, clock, isUsedUp);
    this.#quickInserts = lazy(() => quickInserts(database, levelColumn, clock ?? systemClock));
    this.#newestLevel = lazy(
      () => database.prepare(`SELECT ${levelOfUser(levelColumn)}`).pluck() as Statement<[string], number>,
    );
    this.#conflicts = lazy(() => new ForeignConflicts(database));
    this.#idsAreUsedUp = lazy(() => database.prepare(`SELECT ${isUsedUp}`).pluck() as Statement<[], number>);
  }

  /** Compiles the insert of metadata. @throws SqliteError if invalid triggers or tables prevent that. */
  compileMetadata(): void {
    this.#inserts.metadata();
  }

  /**
   * Adds one row, and a row for its metadata if there are any. The caller holds a transaction if there are two rows.
   * Returns the id of the interaction.
   *
   * @throws StorageError if the next id would not be exact (ruling U-exact-ids), or if a trigger of another program
   * or a conflict clause ignores a row. The caller rolls its transaction back.
   */
  insert(interaction: CheckedInteraction): number {
    return this.#insert(this.#inserts, interaction);
  }

  /**
   * Returns `insert` for the rows of one transaction, which the caller holds, and rolls back as a whole if a row fails.
   *
   * Within a transaction, SQLite prepares to undo each row of a table with triggers alone, which costs half as much as
   * the insert. It does not for `OR FAIL` without a call of a function, and nothing of a row has to be undone alone here.
   * The clause would also apply within triggers, and instead of those of constraints.
   */
  forTransaction(): InsertRow {
    if (this.#conflicts().exist()) return (interaction) => this.insert(interaction);
    if (this.#idsAreUsedUp().get() === 1) this.#refuseIds();
    const inserts = this.#quickInserts();
    return (interaction) => this.#insert(inserts, interaction);
  }

  /**
   * Adds all rows in one transaction, which the caller holds, and rolls back as a whole if a row fails; returns their
   * number.
   */
  insertAll(interactions: Iterable<CheckedInteraction>): number {
    const insert = this.forTransaction();
    const mayJoin = !this.#conflicts().exist();
    let count = 0;
    const held: AtLevel[] = [];
    const levelOf = this.#levelsAfter(held);
    for (const interaction of interactions) {
      count += 1;
      if (!mayJoin) insert(interaction);
      else if (held.push({ ...interaction, level: levelOf(interaction) }) === TOGETHER)
        this.#insertTogether(held.splice(0));
    }
    held.forEach(insert);
    return count;
  }

  /**
   * Returns a function that gives the level of a row of one transaction: that of the user's newest interaction if it has
   * none.
   *
   * @param held The rows that are not in the table yet.
   */
  #levelsAfter(held: readonly AtLevel[]): (interaction: CheckedInteraction) => number {
    const known = new Map<string, number>();
    return ({ userId, level }) => {
      const own =
        level ??
        known.get(userId) ??
        held.findLast((each) => each.userId === userId)?.level ??
        (this.#newestLevel().get(userId) as number);
      if (level !== null && known.size === 0) return own;
      if (known.size === MOST_KNOWN) known.clear();
      known.set(userId, own);
      return own;
    };
  }

  /** Without triggers of other programs, the ids of one statement follow one another. */
  #insertTogether(interactions: readonly AtLevel[]): void {
    const { together, metadata, metadataTogether, now } = this.#quickInserts();
    const values: (string | number | null)[] = [];
    for (const { userId, level, success, responseTimeMs } of interactions)
      values.push(userId, level, success ? 1 : 0, responseTimeMs, now());
    const lastId = this.#add(together(), values, interactions.length);
    const described: (string | number)[] = [];
    let id = lastId - interactions.length;
    for (const { metadata: text } of interactions) {
      id += 1;
      if (text !== null) described.push(id, text);
    }
    if (described.length === 2 * TOGETHER) this.#addMetadata(metadataTogether(), described, TOGETHER);
    else for (let at = 0; at < described.length; at += 2) this.#addMetadata(metadata(), described.slice(at, at + 2));
  }

  #insert(inserts: Inserts, { userId, level, success, responseTimeMs, metadata }: CheckedInteraction): number {
    // A level of null means the level of the user's newest interaction, or 1 (ruling U-record-metric-level).
    const insert = level === null ? inserts.atCurrentLevel() : inserts.atLevel;
    const values = [userId, level ?? userId, success ? 1 : 0, responseTimeMs];
    if (inserts.now !== undefined) values.push(inserts.now());
    const id = this.#add(insert, values);
    if (metadata !== null) this.#addMetadata(inserts.metadata(), [id, metadata]);
    return id;
  }

  #addMetadata(insert: Insert, values: (string | number)[], rows: number = 1): void {
    if (insert.run(...values).changes < rows) throw new IgnoredRow(this.#database, "interaction_metadata", this.#path);
  }

  /** @returns The id of the last row. */
  #add(insert: Insert, values: (string | number | null)[], rows: number = 1): number {
    let added: ReturnType<Insert["run"]>;
    try {
      added = insert.run(...values);
    } catch (error) {
      if ((error as { code?: unknown }).code === "SQLITE_TOOBIG") this.#refuseIds();
      throw error;
    }
    if (added.changes < rows) throw new IgnoredRow(this.#database, "interactions", this.#path);
    const id = Number(added.lastInsertRowid);
    if (id > HIGHEST_ID) throw usedUp(this.#path, usedUpBy("interactions", HIGHEST_ID));
    return id;
  }

  /** Throws if the ids are used up. */
  #refuseIds(): void {
    const used = usedUpAt(this.#database, "interactions");
    if (used !== undefined) throw usedUp(this.#path, used);
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

type InsertSql = "INSERT" | "INSERT OR FAIL";

/** Inserts that check the next id. @param isUsedUp What {@link usedUpIds} returns. */
function checkedInserts(
  database: Database,
  levelColumn: LevelColumn,
  clock: Clock | undefined,
  isUsedUp: string,
): Inserts {
  const timestamp = clock === undefined ? "CURRENT_TIMESTAMP" : "?";
  const success = `CASE WHEN ${isUsedUp} THEN ${REFUSED} ELSE ? END`;
  return {
    ...insertsOf(database, "INSERT", levelColumn, { level: "?", success, timestamp }),
    now: clock === undefined ? undefined : () => sqliteTimestamp(readClock(clock)),
  };
}

function quickInserts(database: Database, levelColumn: LevelColumn, clock: Clock): QuickInserts {
  let second = Number.NaN;
  let text = "";
  const now = (): string => {
    const time = readClock(clock);
    const current = Math.floor(time.getTime() / 1000);
    if (current !== second) {
      text = sqliteTimestamp(time);
      second = current;
    }
    return text;
  };
  const insert = "INSERT OR FAIL";
  return {
    ...insertsOf(database, insert, levelColumn, GIVEN),
    now,
    together: lazy(() => insertStatement(database, insert, levelColumn, GIVEN, TOGETHER)),
    metadataTogether: lazy(() => metadataStatement(database, insert, TOGETHER)),
  };
}

function insertsOf(
  database: Database,
  insert: InsertSql,
  levelColumn: LevelColumn,
  values: ValuesSql,
): Omit<Inserts, "now"> {
  return {
    atLevel: insertStatement(database, insert, levelColumn, values),
    atCurrentLevel: lazy(() =>
      insertStatement(database, insert, levelColumn, { ...values, level: levelOfUser(levelColumn) }),
    ),
    metadata: lazy(() => metadataStatement(database, insert)),
  };
}

/** The level of a user's newest interaction, or 1 (ruling U-record-metric-level). */
const levelOfUser = (levelColumn: LevelColumn): string => `coalesce(${currentLevel(levelColumn, "?")}, 1)`;

function insertStatement(
  database: Database,
  insert: InsertSql,
  levelColumn: LevelColumn,
  { level, success, timestamp }: ValuesSql,
  rows: number = 1,
): Insert {
  const values = Array.from({ length: rows }, () => `(?, ${level}, ${success}, ?, ${timestamp})`);
  return database.prepare(
    `${insert} INTO interactions (user_id, ${levelColumn}, success, response_time_ms, timestamp)
     VALUES ${values.join(", ")}`,
  ) as Insert;
}

function metadataStatement(database: Database, insert: InsertSql, rows: number = 1): Insert {
  const values = Array.from({ length: rows }, () => "(?, ?)").join(", ");
  return database.prepare(`${insert} INTO interaction_metadata (interaction_id, metadata) VALUES ${values}`) as Insert;
}
