import { AFTER_STEPS, withStorage } from "../files/storage_errors.ts";
import { assertDatabasePath } from "../files/places.ts";
import { waitInSlices } from "../sqlite/busy.ts";
import { hasTable } from "../sqlite/catalog.ts";
import { giveBackUnusedPages, REWRITTEN_UP_TO, rewrite } from "../sqlite/compact.ts";
import { type ErasedDatabase, eraseTexts } from "../sqlite/erase_texts.ts";
import { type Database, DEFAULT_WAITS, openDatabase, type Statement } from "../sqlite/open_database.ts";
import { fittingRows, STEP_MS } from "../sqlite/pace.ts";
import { runWithPauses, watchWriters } from "../sqlite/pauses.ts";
import { PlacedFile } from "../sqlite/placed_file.ts";
import { WriteTransaction } from "../sqlite/write_transaction.ts";
import { IgnoredRow, mayIgnoreRows } from "../validity/ignored_row.ts";
import type { DeletedUsage, UsageToDelete } from "./usage_deletion.ts";
import { monotonicMs } from "../runtime/monotonic.ts";

/** Number of rows in the first step. */
const FIRST_ROWS = 256;

/** Deletes uses from a database; see {@link usageDeletionSteps}. */
export function deleteUsageFromSqlite(dbPath: string, asked: UsageToDelete): DeletedUsage {
  assertDatabasePath("dbPath", dbPath);
  return withStorage(dbPath, "deleting uses", () => {
    const database = openDatabase(dbPath, { intent: "change" });
    const file = new PlacedFile(database, dbPath);
    try {
      return deleteUsage(database, asked, file);
    } finally {
      file.close();
    }
  });
}

/** Does the same in an open database. */
export function deleteUsage(
  database: Database,
  asked: UsageToDelete,
  file: PlacedFile = new PlacedFile(database, database.name),
): DeletedUsage {
  return runWithPauses(usageDeletionSteps(database, asked, file), watchWriters(database));
}

/** Counts what a deletion would delete. The database need not be writable. */
export function countUsage(database: Database, asked: UsageToDelete): number {
  if (!hasTable(database, "pattern_usage") || !isStorable(asked)) return 0;
  const count = database.prepare(`SELECT count(*) FROM pattern_usage WHERE ${conditionOf(asked)}`).pluck();
  return count.get(parametersOf(asked)) as number;
}

/**
 * Deletes uses in steps, each of which is stored when it ends, and lowers the counts of their patterns by them: the counts
 * are those of the rows that are left. Uses that are saved after this call are not deleted.
 *
 * @param file The file of the database, which other programs may replace meanwhile.
 * @returns Steps, between which the caller lets other writers continue.
 */
export function* usageDeletionSteps(
  database: Database,
  asked: UsageToDelete,
  file: PlacedFile,
  busyTimeoutMs: number = DEFAULT_WAITS.timeoutMs,
): Generator<void, DeletedUsage> {
  const deleted: DeletedUsage = { usageRows: 0, patterns: 0 };
  if (!hasTable(database, "pattern_usage") || !isStorable(asked)) return deleted;
  const waits = waitInSlices(database, busyTimeoutMs);
  const transaction = new WriteTransaction(database, waits);
  const change = <Result>(work: () => Result): Result => {
    file.assertBefore();
    const result = transaction.run(work);
    file.assertAfter();
    return result;
  };
  const setting = database.pragma("secure_delete", { simple: true }) as number;
  if (asked.erase) database.exec("PRAGMA secure_delete = ON");
  try {
    const patterns = new Set<string>();
    const deletePiece = preparePieces(database, asked);
    const total = asked.report === undefined ? 0 : countUsage(database, asked);
    for (let rows = FIRST_ROWS; ;) {
      const began = monotonicMs();
      const piece = change(() => deletePiece(rows));
      deleted.usageRows += piece.usageRows;
      for (const id of piece.patterns) patterns.add(id);
      asked.report?.(deleted.usageRows, total);
      if (piece.isLast) break;
      rows = fittingRows(rows, monotonicMs() - began, STEP_MS);
      yield;
    }
    deleted.patterns = patterns.size;
    yield* giveBackUnusedPages(database, waits);
    if (asked.erase)
      yield* erase({ database, path: database.name, waits, rewrittenUpTo: REWRITTEN_UP_TO, change }, asked);
    return deleted;
  } finally {
    if (asked.erase) database.pragma(`secure_delete = ${setting === 2 ? "FAST" : setting}`);
  }
}

/** The driver would ask for other text instead of lone surrogates. */
const isStorable = ({ agentId = "", patternId = "" }: UsageToDelete): boolean =>
  agentId.isWellFormed() && patternId.isWellFormed();

const conditionOf = ({ agentId, patternId }: UsageToDelete): string =>
  [
    ...(agentId === undefined ? [] : ["agent_id = @agent"]),
    ...(patternId === undefined ? [] : ["pattern_id = @pattern"]),
  ].join(" AND ");

const parametersOf = ({ agentId, patternId }: UsageToDelete): object => ({
  agent: agentId ?? null,
  pattern: patternId ?? null,
});

/** Returns a function that deletes those of the next rows that are to be deleted. */
function preparePieces(
  database: Database,
  asked: UsageToDelete,
): (rows: number) => { usageRows: number; patterns: string[]; isLast: boolean } {
  const exact = (sql: string): Statement<[object], bigint | null> =>
    database.prepare(sql).pluck().safeIntegers() as Statement<[object], bigint | null>;
  const last = exact("SELECT max(rowid) FROM pattern_usage").get({});
  const endOf = exact(
    `SELECT max(rowid) FROM (SELECT rowid FROM pattern_usage WHERE rowid > @after AND rowid <= @last ORDER BY rowid LIMIT @rows)`,
  );
  const piece = `FROM pattern_usage WHERE rowid > @after AND rowid <= @end AND ${conditionOf(asked)}`;
  const count = database.prepare(`SELECT count(*) ${piece}`).pluck();
  const lowered = (field: string, by: string): string =>
    `${field} = iif(typeof(${field}) = 'integer', max(0, ${field} - ${by}), ${field})`;
  const lower = database
    .prepare(
      `UPDATE patterns SET ${lowered("usage_count", "uses")}, ${lowered("success_count", "successes")},
         ${lowered("failure_count", "(uses - successes)")}, updated_at = CURRENT_TIMESTAMP
       FROM (SELECT pattern_id, count(*) AS uses, count(CASE WHEN success THEN 1 END) AS successes ${piece} GROUP BY 1) AS gone
       WHERE patterns.id = gone.pattern_id RETURNING patterns.id`,
    )
    .pluck();
  const known = database.prepare(
    `SELECT count(DISTINCT patterns.id) FROM patterns WHERE id IN (SELECT pattern_id ${piece})`,
  );
  const remove = database.prepare(`DELETE ${piece}`);
  const mayIgnore = (["patterns", "pattern_usage"] as const).some((table) => mayIgnoreRows(database, table));
  const ignored = (table: string): IgnoredRow =>
    new IgnoredRow(database, table, database.name, AFTER_STEPS["deleting uses"]);
  let after = -(2n ** 63n);
  return (rows) => {
    const end = last === null ? null : (endOf.get({ after, last, rows }) ?? null);
    if (end === null) return { usageRows: 0, patterns: [], isLast: true };
    const parameters = { ...parametersOf(asked), after, end };
    const expected = mayIgnore ? [known.pluck().get(parameters), count.get(parameters)] : [];
    const patterns = lower.all(parameters) as string[];
    const { changes } = remove.run(parameters);
    if (mayIgnore && patterns.length !== expected[0]) throw ignored("patterns");
    if (mayIgnore && changes !== expected[1]) throw ignored("pattern_usage");
    after = end;
    return { usageRows: changes, patterns, isLast: false };
  };
}

function erase(erased: ErasedDatabase, { agentId, patternId }: UsageToDelete): Generator<void, void> {
  return eraseTexts(erased, {
    what: "uses",
    text: agentId ?? patternId ?? "",
    tables: /^pattern_usage$/i,
    changeSchema: (work) => erased.change(work),
    rewrite: () => void rewrite(erased.database, erased.path, erased.waits),
  });
}
