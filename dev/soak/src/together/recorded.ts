import type { UserStats } from "@perdura/v16";

/** Way of recording: `single` rows, `metric` with metadata, `many` in a transaction, many at once by a `writer`. */
export type Way = "single" | "metric" | "many" | "writer";
export const WAYS: readonly Way[] = ["single", "metric", "many", "writer"];

/** Number of rows that are recorded together by `many` and `writer`. */
export const BATCH = 20;

/** Number of consecutive rows with the same level. */
const LEVEL_BLOCK = 50;

/** Content of the row of a number. Each number of a user is recorded once, 1, 2, 3 … */
export interface RecordedRow {
  level: number;
  success: boolean;
  time: number;
}

/** Derives the content of a row from its number, so that any process knows what to expect. */
export function rowOf(number: number): RecordedRow {
  return {
    level: (Math.floor((number - 1) / LEVEL_BLOCK) % 5) + 1,
    success: number % 3 !== 0,
    // Sums of eighths are exact.
    time: number / 8,
  };
}

/** True if the row of that number begins a level: a way that records at the current level must set it. */
export function beginsLevel(number: number): boolean {
  return number % LEVEL_BLOCK === 1;
}

/** True if the row has the metadata `{"n":NUMBER}`. */
export function hasMetadata(way: Way, number: number): boolean {
  return (way === "metric" && !beginsLevel(number)) || (way === "many" && number % 2 === 0);
}

/** A user id for one program in one life: `many-3-1`. */
export function userOf(way: Way, index: number | string, life: number): string {
  return `${way}-${index}-${life}`;
}

/** The way in which a user's rows were recorded. */
export function wayOf(user: string): Way {
  const way = WAYS.find((each) => user.startsWith(`${each}-`));
  if (way === undefined) throw new Error(`Unknown user ${user}.`);
  return way;
}

/** Maximum number of rows that may be stored but not yet acknowledged. */
export function inProgress(way: Way): number {
  return way === "single" || way === "metric" ? 1 : BATCH;
}

/** The statistics of a user with the rows 1 to `count`, without the times. */
export function statsOf(count: number): Omit<UserStats, "first_use" | "last_use"> {
  const levels = [0, 0, 0, 0, 0];
  const round = 5 * LEVEL_BLOCK;
  for (let level = 0; level < 5; level += 1) {
    const rest = (count % round) - level * LEVEL_BLOCK;
    levels[level] = Math.floor(count / round) * LEVEL_BLOCK + Math.min(LEVEL_BLOCK, Math.max(0, rest));
  }
  const [level_1_count = 0, level_2_count = 0, level_3_count = 0, level_4_count = 0, level_5_count = 0] = levels;
  return {
    total_operations: count,
    success_rate: count === 0 ? 0 : (count - Math.floor(count / 3)) / count,
    avg_response_time_ms: count === 0 ? 0 : (count + 1) / 16,
    level_1_count,
    level_2_count,
    level_3_count,
    level_4_count,
    level_5_count,
    ...(count === 0 ? {} : { current_level: rowOf(count).level }),
  };
}
