import { hasTable } from "../../sqlite/catalog.ts";
import type { Database, Statement } from "../../sqlite/open_database.ts";
import { deletionFrom, type RowDeletion } from "./delete_rows.ts";

const IS_ORPHAN = "NOT EXISTS (SELECT 1 FROM interactions WHERE id = interaction_id)";

/**
 * Counts metadata without an interaction, which programs leave that delete interactions without foreign keys where the
 * triggers of the metadata are missing.
 */
export function countOrphanedMetadata(database: Database): number {
  if (!hasTable(database, "interaction_metadata") || !hasTable(database, "interactions")) return 0;
  return database.prepare(`SELECT count(*) FROM interaction_metadata WHERE ${IS_ORPHAN}`).pluck().get() as number;
}

/** Deletes metadata without an interaction. */
export function prepareOrphanDeletion(database: Database): RowDeletion {
  const look = database
    .prepare(
      `SELECT interaction_id AS id, ${IS_ORPHAN} AS due FROM interaction_metadata WHERE interaction_id > ? ORDER BY interaction_id LIMIT ?`,
    )
    .safeIntegers() as Statement<[bigint | number, number], { id: bigint; due: bigint }>;
  const remove = deletionFrom(database, "interaction_metadata", "interaction_id");
  let last: bigint | number = -Infinity;
  return {
    count: () => countOrphanedMetadata(database),
    deletePiece: (rows) => {
      const found = look.all(last, rows);
      const due = found.filter((row) => row.due === 1n);
      for (const { id } of due) remove(id);
      last = found.at(-1)?.id ?? last;
      return { interactions: 0, metadata: due.length, isLast: found.length < rows };
    },
  };
}
