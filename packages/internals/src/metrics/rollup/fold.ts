import type { Database, Statement } from "../../sqlite/open_database.ts";
import type { LevelColumn } from "../schema.ts";
import { prepareAdding, prepareRemoving, type Totals } from "./folded_piece.ts";

/** Updates the rollup from the rows. The caller holds a write transaction around each call. */
export interface Folding {
  /** Computes the sums of one stale user again; false if no user is stale. */
  refreshOne(): boolean;
  /** Folds the next rows; false if all are folded. */
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
  const addRowsOfStaleUser = adding(`user_id = ${stale} AND id <= ${watermark}`);
  const removeStaleUser = prepareRemoving(database, stale);
  const raiseWatermark = database.prepare("UPDATE perdura_rollup SET watermark = @end") as Statement<[{ end: bigint }]>;
  const addTotals = database.prepare(
    "UPDATE perdura_rollup SET operations = operations + @operations, successes = successes + @successes, users = users + @users",
  ) as Statement<[Totals]>;
  const anyStale = database.prepare("SELECT 1 FROM perdura_stale_users LIMIT 1").pluck() as Statement<[], number>;
  const unmark = database.prepare(`DELETE FROM perdura_stale_users WHERE user_id = ${stale}`);
  return {
    refreshOne: () => {
      if (anyStale.get() === undefined) return false;
      const removed = removeStaleUser();
      const added = addRowsOfStaleUser();
      unmark.run();
      addTotals.run({
        operations: added.operations - removed.operations,
        successes: added.successes - removed.successes,
        users: added.users - removed.users,
      });
      return true;
    },
    foldPiece: (rows) => {
      const end = pieceEnd.get(rows) ?? null;
      if (end === null) return false;
      addTotals.run(addNewRows({ end }));
      raiseWatermark.run({ end });
      return true;
    },
  };
}
