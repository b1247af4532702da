import { giveBackUnusedPages } from "../../sqlite/compact.ts";
import { fittingRows, STEP_MS } from "../../sqlite/pace.ts";
import { prepareDeletion } from "./delete_rows.ts";
import { prepareOrphanDeletion } from "./orphaned_metadata.ts";
import type { Deleted } from "./deletion.ts";
import type { CheckedDeletion } from "./deletion_arguments.ts";
import type { ErasedDatabase } from "../../sqlite/erase_texts.ts";
import { syncStored, withoutSync } from "../../sqlite/without_sync.ts";
import { eraseLeftovers } from "./erase.ts";
import { monotonicMs } from "../../runtime/monotonic.ts";

/** Operations of a metrics database that a deletion needs. */
export interface DeletingLog extends ErasedDatabase {
  /** Computes the sums of changed users again, some in each step. */
  refreshSums(): Generator<void, void>;
}

/**
 * Pages in the log after which a step moves them into the database. Another program moves them after its commit from 1000
 * pages on: these would be those of the deletion, while it waits.
 */
const CHECKPOINT_PAGES = 500;

/** Number of rows in the first step. */
const FIRST_ROWS = 256;

/**
 * Deletes interactions in steps. Each is stored when it ends, and the caller lets other writers continue before the next
 * one: if the process ends between two steps, the rest is still there, and everything is consistent.
 */
export function* deletionSteps(log: DeletingLog, asked: CheckedDeletion): Generator<void, Deleted> {
  const { database } = log;
  // The driver would ask for the text with replacement characters instead of lone surrogates.
  if (asked.userId?.isWellFormed() === false) return { interactions: 0, metadata: 0 };
  const setting = database.pragma("secure_delete", { simple: true }) as number;
  const checkpoint = database.pragma("wal_autocheckpoint", { simple: true }) as number;
  if (asked.erase) database.exec("PRAGMA secure_delete = ON");
  database.pragma(`wal_autocheckpoint = ${Math.min(checkpoint, CHECKPOINT_PAGES)}`);
  try {
    const deleted = yield* deleteRows(log, asked);
    yield* log.refreshSums();
    yield* giveBackUnusedPages(database, log.waits);
    if (asked.erase) yield* eraseLeftovers(log, asked);
    return deleted;
  } finally {
    database.pragma(`wal_autocheckpoint = ${checkpoint}`);
    if (asked.erase) database.pragma(`secure_delete = ${setting === 2 ? "FAST" : setting}`);
    // Also after the last step of a deletion that was interrupted.
    log.change(() => syncStored(database));
  }
}

function* deleteRows({ database, change }: DeletingLog, asked: CheckedDeletion): Generator<void, Deleted> {
  const deletion = asked.orphans === true ? prepareOrphanDeletion(database) : prepareDeletion(database, asked);
  const total = asked.report === undefined ? 0 : deletion.count();
  const deleted: Deleted = { interactions: 0, metadata: 0 };
  for (let rows = FIRST_ROWS; ;) {
    const began = monotonicMs();
    const piece = withoutSync(database, () => change(() => deletion.deletePiece(rows)));
    deleted.interactions += piece.interactions;
    deleted.metadata += piece.metadata;
    asked.report?.(asked.orphans === true ? deleted.metadata : deleted.interactions, total, deleted.metadata);
    if (piece.isLast) return deleted;
    rows = fittingRows(rows, monotonicMs() - began, STEP_MS);
    yield;
  }
}
