import { hasTable } from "../../sqlite/catalog.ts";
import type { Database, Statement } from "../../sqlite/open_database.ts";
import { AFTER_STEPS } from "../../files/storage_errors.ts";
import { IgnoredRow, mayIgnoreRows } from "../../validity/ignored_row.ts";
import { LOWEST_ID } from "../schema.ts";
import { MOMENT } from "../trends/time_sql.ts";
import type { Deleted } from "./deletion.ts";
import type { RowsToDelete } from "./deletion_arguments.ts";
import { laterDay } from "./later_day.ts";

/** Numbers of deleted rows of a piece. */
export interface DeletedPiece extends Deleted {
  isLast: boolean;
}

/** Deletes interactions with their metadata, some at a time. The caller holds a write transaction around each piece. */
export interface RowDeletion {
  /** Number of rows that are left to delete. */
  count(): number;
  /**
   * Deletes those of the next `rows` rows that are to be deleted.
   *
   * @throws IgnoredRow if a trigger of another program keeps one. The caller rolls its transaction back.
   */
  deletePiece(rows: number): DeletedPiece;
}

/** The highest id that a row can have. */
const HIGHEST = 2n ** 63n - 1n;

/** Place of a row in the order in which rows are looked at. */
interface Place {
  at: unknown;
  id: bigint;
}

const dueOf = (before: string | undefined): string => (before === undefined ? "1" : `coalesce(${MOMENT} < @before, 0)`);

/** Counts what a deletion would delete. The database need not be writable. */
export function countDue(database: Database, { userId, before }: RowsToDelete): Deleted {
  if (userId?.isWellFormed() === false) return { interactions: 0, metadata: 0 };
  const limit = userId === undefined ? "timestamp < @bound" : "user_id = @user";
  const rows = `FROM interactions WHERE ${limit} AND ${dueOf(before)}`;
  const parameters = {
    user: userId ?? null,
    before: before ?? null,
    bound: before === undefined ? null : laterDay(before),
  };
  const count = (from: string): number => database.prepare(`SELECT count(*) ${from}`).pluck().get(parameters) as number;
  return {
    interactions: count(rows),
    metadata: hasTable(database, "interaction_metadata")
      ? count(`FROM interaction_metadata WHERE interaction_id IN (SELECT id ${rows})`)
      : 0,
  };
}

/**
 * Rows that are added after this call are not deleted.
 *
 * Ids stay within SQL, or are exact: they may be any 64-bit integer (ruling U-exact-ids).
 */
export function prepareDeletion(database: Database, { userId, before }: RowsToDelete): RowDeletion {
  const exact = (sql: string): Statement<[object], Place & { due: bigint }> =>
    database.prepare(sql).safeIntegers() as Statement<[object], Place & { due: bigint }>;
  const last = database.prepare("SELECT max(id) FROM interactions").pluck().safeIntegers().get() as bigint | null;
  const due = dueOf(before);
  // Of all users: the index of timestamps finds old rows, and a few that are not old, in other forms and zones.
  const [time, limits] =
    userId === undefined
      ? ["timestamp", "timestamp < @bound AND (timestamp, id) >= (@at, @id)"]
      : ["NULL", "user_id = @user AND id >= @id"];
  const order = userId === undefined ? "timestamp, id" : "id";
  const from = `FROM interactions WHERE ${limits} AND id <= @last`;
  const look = exact(`SELECT id, ${time} AS at, ${due} AS due ${from} ORDER BY ${order} LIMIT @rows`);
  const count = database.prepare(`SELECT count(*) ${from} AND ${due}`).pluck() as Statement<[object], number>;
  const metadata = deletionFrom(database, "interaction_metadata", "interaction_id");
  const interactions = deletionFrom(database, "interactions", "id");
  const bound = before === undefined ? null : laterDay(before);
  let next: Place = { at: -Infinity, id: BigInt(LOWEST_ID) };
  const parameters = (rows: number): object => ({
    user: userId ?? null,
    before: before ?? null,
    bound,
    last,
    rows,
    ...next,
  });
  return {
    count: () => count.get(parameters(0)) as number,
    deletePiece: (rows) => {
      const found = look.all(parameters(rows));
      const deleted: DeletedPiece = { interactions: 0, metadata: 0, isLast: found.length < rows };
      for (const { id, due: isDue } of found) {
        if (isDue === 0n) continue;
        deleted.metadata += metadata(id);
        deleted.interactions += interactions(id);
      }
      const { at, id } = found.at(-1) ?? next;
      // A text and the highest id follow the last one that can exist.
      next = id < HIGHEST ? { at, id: id + 1n } : { at: "~", id };
      return deleted;
    },
  };
}

/**
 * Returns a function that deletes a row and returns the number of deleted rows.
 *
 * @throws IgnoredRow if a trigger of another program keeps the row.
 */
export function deletionFrom(database: Database, table: string, key: string): (id: bigint) => number {
  const remove = database.prepare(`DELETE FROM ${table} WHERE ${key} = ?`);
  const mayIgnore = mayIgnoreRows(database, table);
  const isLeft = database.prepare(`SELECT 1 FROM ${table} WHERE ${key} = ?`).pluck();
  return (id) => {
    const { changes } = remove.run(id);
    if (changes === 0 && mayIgnore && isLeft.get(id) !== undefined)
      throw new IgnoredRow(database, table, database.name, AFTER_STEPS["deleting interactions"]);
    return changes;
  };
}
