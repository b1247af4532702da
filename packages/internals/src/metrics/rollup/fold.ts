import type { Database, Statement } from "../../sqlite/open_database.ts";
import { prepareKeyFolding } from "../keys/key_folding.ts";
import { type LevelColumn, LOWEST_ID } from "../schema.ts";
import { prepareAdding, prepareRemoving, type Totals } from "./folded_piece.ts";
import { markAllUsers, prepareWholeUsers, WHOLE_USERS } from "./whole_users.ts";

/** Updates the rollup from the rows. The caller holds a write transaction around each call. */
export interface Folding {
  /**
   * Leaves all users to {@link refreshPiece}, which reads the rows in the order of users: each page of the sums is written
   * once. In the order of ids, each piece has rows of most users, and changes most pages. Does nothing without an index, and
   * with fewer than `fewest` or very many users.
   */
  markAllUsers(fewest: number): void;
  /** Adds about `rows` rows of stale users to their sums again; false if no user is stale. */
  refreshPiece(rows: number): boolean;
  /** Removes sums by values that are left over, which may name users that are erased; false if no such sums are left. */
  removeLeftOver(rows: number): boolean;
  /** Folds the next rows, into the sums by values after all others; false if all are folded. */
  foldPiece(rows: number): boolean;
}

export function prepareFolding(database: Database, levelColumn: LevelColumn): Folding {
  const watermark = "(SELECT watermark FROM perdura_rollup)";
  const stale = "(SELECT min(user_id) FROM perdura_stale_users)";
  const pieceEnd = database
    .prepare(`SELECT max(id) FROM (SELECT id FROM interactions WHERE id > ${watermark} ORDER BY id LIMIT ?)`)
    .pluck()
    // Ids may be any 64-bit integer.
    .safeIntegers() as Statement<[number], bigint | null>;
  const adding = prepareAdding(database, levelColumn);
  const addNewRows = adding(`id > ${watermark} AND id <= @end`);
  const next = `(SELECT next_id FROM perdura_stale_users WHERE user_id = ${stale})`;
  const rowsOfStaleUser = `user_id = ${stale} AND id >= ${next} AND id <= ${watermark}`;
  const staleEnd = database
    .prepare(`SELECT max(id) FROM (SELECT id FROM interactions WHERE ${rowsOfStaleUser} ORDER BY id LIMIT ?)`)
    .pluck()
    .safeIntegers() as Statement<[number], bigint | null>;
  const addRowsOfStaleUser = adding(`${rowsOfStaleUser} AND id <= @end`);
  const keys = prepareKeyFolding(database, stale, rowsOfStaleUser);
  const wholeUsers = prepareWholeUsers(database);
  const removeUsers = prepareRemoving(database, WHOLE_USERS);
  const addRowsOfUsers = adding(`user_id IN ${WHOLE_USERS} AND id <= ${watermark}`);
  const raiseWatermark = database.prepare("UPDATE perdura_rollup SET watermark = @end") as Statement<[{ end: bigint }]>;
  const addTotals = database.prepare(
    "UPDATE perdura_rollup SET operations = operations + @operations, successes = successes + @successes, users = users + @users",
  ) as Statement<[Totals]>;
  const firstStale = database
    .prepare(
      "SELECT CASE WHEN next_id IS NULL THEN 'whole' ELSE 'partial' END FROM perdura_stale_users ORDER BY user_id LIMIT 1",
    )
    .pluck() as Statement<[], "whole" | "partial">;
  const begin = database.prepare(`UPDATE perdura_stale_users SET next_id = ${LOWEST_ID} WHERE user_id = ${stale}`);
  const advance = database.prepare(
    `UPDATE perdura_stale_users SET next_id = @end + 1 WHERE user_id = ${stale}`,
  ) as Statement<[{ end: bigint }]>;
  const unmark = database.prepare(`DELETE FROM perdura_stale_users WHERE user_id = ${stale}`);
  return {
    markAllUsers: (fewest) => {
      if (!keys.hasSums()) markAllUsers(database, fewest);
    },
    refreshPiece: (rows) => {
      const first = firstStale.get();
      if (first === undefined) return false;
      if (first === "whole") {
        const areComplete = wholeUsers.choose(keys.hasSums() ? 0 : rows);
        keys.removeStaleUser();
        const { operations, successes, users } = removeUsers();
        addTotals.run({ operations: -operations, successes: -successes, users: -users });
        if (areComplete) {
          addTotals.run(addRowsOfUsers({}));
          wholeUsers.unmark();
          return true;
        }
        begin.run();
      }
      const end = staleEnd.get(rows) ?? null;
      const added = end === null ? undefined : addRowsOfStaleUser({ end });
      if (end !== null) keys.addRowsOfStaleUser(end);
      if (added !== undefined) addTotals.run(added);
      if (end === null || added === undefined || added.operations < rows) unmark.run();
      else advance.run({ end });
      return true;
    },
    removeLeftOver: keys.removeLeftOver,
    foldPiece: (rows) => {
      const end = pieceEnd.get(rows) ?? null;
      if (end === null) return keys.foldPiece(rows);
      addTotals.run(addNewRows({ end }));
      raiseWatermark.run({ end });
      return true;
    },
  };
}
