import { isBusy, type Waits, waitWhileBusy, withoutWaiting } from "../../sqlite/busy.ts";
import type { Database } from "../../sqlite/open_database.ts";
import type { LevelColumn } from "../schema.ts";
import { conditionOf, schemaVersionQuery } from "./condition.ts";
import { prepareFolding } from "./fold.ts";
import { installRollup, removeRollup } from "./install.ts";
import { pieceFor, type RollupLimits } from "./limits.ts";
import { isLongLog, supportsRollup } from "./suitable.ts";

/** A database with the settings of its maintenance. */
export interface MaintainedDatabase {
  database: Database;
  levelColumn: LevelColumn;
  limits: RollupLimits;
  waits: Waits;
}

/**
 * Updates the rollup as far as possible without waiting, within the time budget of a question. If another process
 * writes, or if writing is impossible, the question is answered without the rollup.
 *
 * @param rows Number of rows that the question would count.
 */
export function maintainBriefly(maintained: MaintainedDatabase, rows: number): void {
  const { database, limits, waits } = maintained;
  const piece = pieceFor(rows, limits);
  const end = performance.now() + limits.budgetMs;
  try {
    withoutWaiting(database, waits, () => {
      while (step(maintained, piece) && performance.now() < end);
    });
  } catch (error) {
    if (!isBusy(error) && !isUnwritable(error)) throw error;
  }
}

/** Updates the rollup up to the last row, and waits for other writers. */
export function maintainFully(maintained: MaintainedDatabase): void {
  const { limits, waits } = maintained;
  while (waitWhileBusy(waits.timeoutMs, () => step(maintained, limits.piece)));
}

/** Does part of the pending work in a separate transaction; true if more work may be pending. */
function step(maintained: MaintainedDatabase, piece: number): boolean {
  return maintained.database.transaction(() => work(maintained, piece)).immediate();
}

function work({ database, levelColumn, limits }: MaintainedDatabase, piece: number): boolean {
  const condition = conditionOf(database, schemaVersionQuery(database).get() as number);
  if (condition === "taken") return false;
  if (condition === "broken" || condition === "outdated") removeRollup(database);
  if (condition !== "ready") {
    if (!isLongLog(database, limits.threshold) || !supportsRollup(database)) return false;
    installRollup(database);
  }
  // The triggers cannot mark users of a row with this id as stale; see `objects.ts`.
  if (database.prepare("SELECT 1 FROM interactions WHERE id = -1").get() !== undefined) return false;
  const folding = prepareFolding(database, levelColumn);
  const end = performance.now() + limits.sliceMs;
  while (folding.refreshOne()) if (performance.now() >= end) return true;
  return folding.foldPiece(piece);
}

/** True if the disk is full or the file is read-only. */
function isUnwritable(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === "string" && (code === "SQLITE_FULL" || code.startsWith("SQLITE_READONLY"));
}
