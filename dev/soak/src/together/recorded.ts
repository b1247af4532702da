import type { UserStats } from "@perdura/v16";

/** How a program records: `single` rows, `metric` with metadata, `many` to a transaction, many at once by a `writer`. */
export type Way = "single" | "metric" | "many" | "writer";
export const WAYS: readonly Way[] = ["single", "metric", "many", "writer"];

/** How many rows go together where a way takes several. */
export const BATCH = 20;

/** Rows of a level follow each other. */
const LEVEL_BLOCK = 50;

/** What the row of a number holds. Each number of a user is recorded once, 1, 2, 3 … */
export interface RecordedRow {
  level: number;
  success: boolean;
  time: number;
}

/** The content of a row follows from its number, so that everybody can tell what must be there. */
export function rowOf(number: number): RecordedRow {
  return {
    level: (Math.floor((number - 1) / LEVEL_BLOCK) % 5) + 1,
    success: number % 3 !== 0,
    // Sums of eighths are exact.
    time: number / 8,
  };
}

/** True where a row of that number begins a level: a way that records at the current level must set it. */
export function beginsLevel(number: number): boolean {
  return number % LEVEL_BLOCK === 1;
}

/** Whether the row has the metadata `{"n":NUMBER}`. */
export function hasMetadata(way: Way, number: number): boolean {
  return (way === "metric" && !beginsLevel(number)) || (way === "many" && number % 2 === 0);
}

/** A user stands for one program in one life: `many-3-1`. */
export function userOf(way: Way, index: number | string, life: number): string {
  return `${way}-${index}-${life}`;
}

/** The way that a user's rows were recorded in. */
export function wayOf(user: string): Way {
  const way = WAYS.find((each) => user.startsWith(`${each}-`));
  if (way === undefined) throw new Error(`Nobody is called ${user}.`);
  return way;
}

/** How many rows may be there that were not acknowledged yet: those that were on their way. */
export function onTheWay(way: Way): number {
  return way === "single" || way === "metric" ? 1 : BATCH;
}

/** The statistics of a user of whom the rows 1 to `count` are there, without the times of day. */
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
