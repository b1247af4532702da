import { BATCH, hasMetadata, rowOf, wayOf } from "./recorded.ts";

/** A row as it was found, in a database or in an export. */
export interface FoundRow {
  id: number;
  user_id: string;
  level: unknown;
  success: unknown;
  response_time_ms: unknown;
  metadata: string | null;
}

/** What was found of a crowd's rows. */
export interface Findings {
  /** How many rows of each user are there: the numbers 1 to that. */
  counts: Map<string, number>;
  rows: number;
  lost: string[];
  wrong: string[];
}

/** Of many complaints about one database, so many are told. */
const MOST = 10;

/**
 * Looks at all rows, in the order of their ids: of each user there are the numbers from 1 on, each once, in order and with
 * the content that belongs to it, no id is left out, and what was acknowledged is there.
 *
 * @param acknowledged By user, the highest number that is known to be stored.
 * @param further How many more rows of a user there may be.
 */
export function judgeRows(
  rows: Iterable<FoundRow>,
  acknowledged: ReadonlyMap<string, number>,
  further: (user: string) => number = () => Number.POSITIVE_INFINITY,
): Findings {
  const [counts, lost, wrong] = [new Map<string, number>(), [] as string[], [] as string[]];
  let last = 0;
  for (const row of rows) {
    const { id, user_id: user } = row;
    // Ids of transactions that were undone are used again: a gap is a row that is gone.
    if (id !== last + 1) wrong.push(`after the id ${last} comes ${id}`);
    last = id;
    const number = Number(row.response_time_ms) * 8;
    const expected = (counts.get(user) ?? 0) + 1;
    if (number < expected) wrong.push(`row ${number} of ${user} is there twice`);
    if (number > expected) wrong.push(`row ${expected} of ${user} is missing before row ${number}`);
    counts.set(user, Math.max(number, expected - 1));
    const fault = contentFault(row, number);
    if (fault !== undefined) wrong.push(`row ${number} of ${user} ${fault}`);
  }
  for (const [user, count] of acknowledged) {
    const found = counts.get(user) ?? 0;
    if (found < count) lost.push(`of ${user} ${count} rows were acknowledged, ${found} are there`);
  }
  for (const [user, count] of counts) {
    const most = (acknowledged.get(user) ?? 0) + further(user);
    if (count > most) wrong.push(`of ${user} ${count} rows are there, and at most ${most} were recorded`);
    if (wayOf(user) === "many" && count % BATCH !== 0)
      wrong.push(`of ${user} ${count} rows are there: a part of a transaction of ${BATCH}`);
  }
  return { counts, rows: last, lost: lost.slice(0, MOST), wrong: wrong.slice(0, MOST) };
}

function contentFault({ user_id: user, level, success, metadata }: FoundRow, number: number): string | undefined {
  const expected = rowOf(number);
  if (level !== expected.level) return `has the level ${String(level)}, not ${expected.level}`;
  if (Boolean(success) !== expected.success) return `has the success ${String(success)}`;
  const text = hasMetadata(wayOf(user), number) ? `{"n":${number}}` : null;
  return metadata === text ? undefined : `has the metadata ${metadata}, not ${text}`;
}
