import { BATCH, hasMetadata, rowOf, wayOf } from "./recorded.ts";

/** A row that was found in a database or in an export. */
export interface FoundRow {
  id: number;
  user_id: string;
  level: unknown;
  success: unknown;
  response_time_ms: unknown;
  metadata: string | null;
}

/** Findings about the rows of a crowd. */
export interface Findings {
  /** Number of rows of each user: the numbers from 1 to it. */
  counts: Map<string, number>;
  rows: number;
  lost: string[];
  wrong: string[];
}

/** Maximum number of faults that are reported for one database. */
const MOST = 10;

/**
 * Checks all rows, in the order of their ids: each user's numbers are consecutive from 1, each once, in order and with
 * the content of its number; ids have no gaps; and all acknowledged rows exist.
 *
 * @param acknowledged The highest number known to be stored, by user.
 * @param further Maximum number of additional rows of a user.
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
    // Ids of rolled-back transactions are used again: a gap is a lost row.
    if (id !== last + 1) wrong.push(`the id ${last} is followed by ${id}`);
    last = id;
    const number = Number(row.response_time_ms) * 8;
    const expected = (counts.get(user) ?? 0) + 1;
    if (number < expected) wrong.push(`row ${number} of ${user} is stored twice`);
    if (number > expected) wrong.push(`row ${expected} of ${user} is missing before row ${number}`);
    counts.set(user, Math.max(number, expected - 1));
    const fault = contentFault(row, number);
    if (fault !== undefined) wrong.push(`row ${number} of ${user} ${fault}`);
  }
  for (const [user, count] of acknowledged) {
    const found = counts.get(user) ?? 0;
    if (found < count) lost.push(`${user}: ${count} rows were acknowledged, but ${found} are stored`);
  }
  for (const [user, count] of counts) {
    const most = (acknowledged.get(user) ?? 0) + further(user);
    if (count > most) wrong.push(`${user}: ${count} rows are stored, but at most ${most} were recorded`);
    if (wayOf(user) === "many" && count % BATCH !== 0)
      wrong.push(`${user}: ${count} rows include part of a transaction of ${BATCH}`);
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
