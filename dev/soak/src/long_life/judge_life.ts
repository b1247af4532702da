import type { Measure } from "./measure.ts";

/**
 * Allowed growth in bytes, in addition to a tenth: data that programs keep for a while, and an hour's share of the
 * caches.
 */
const SLACK = { heap: 500_000, memory: 8_000_000 } as const;

/** Median of some numbers. */
function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** Rise of the regression line through the numbers from the first to the last (least squares). */
export function riseOf(numbers: readonly number[]): number {
  const middle = (numbers.length - 1) / 2;
  const mean = numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
  let [products, squares] = [0, 0];
  for (const [index, number] of numbers.entries()) {
    products += (index - middle) * (number - mean);
    squares += (index - middle) ** 2;
  }
  return (products / squares) * (numbers.length - 1);
}

const text = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;

/**
 * Judges a life by its hours. The first quarter is warm-up. Memory is flat if the median of the last quarter exceeds
 * that of the second by at most a tenth and a small constant, and the regression line through the last three quarters
 * rises no more than that. The number of open files must be equal in each hour, and the garbage collector must have
 * none to close.
 *
 * @returns Faults, in words.
 */
export function judgeLife(hours: readonly Measure[]): string[] {
  const quarter = Math.floor(hours.length / 4);
  if (quarter < 2) return [`${hours.length} hours are too few to judge`];
  const later = hours.slice(quarter);
  const wrong: string[] = [];
  for (const [kind, slack] of Object.entries(SLACK) as ["heap" | "memory", number][]) {
    const early = median(later.slice(0, quarter).map((hour) => hour[kind]));
    const late = median(later.slice(-quarter).map((hour) => hour[kind]));
    const allowed = early / 10 + slack;
    if (late - early > allowed) wrong.push(`${kind} grew from ${text(early)} to ${text(late)}`);
    const rise = riseOf(later.map((hour) => hour[kind]));
    if (rise > allowed) wrong.push(`${kind} rose by ${text(rise)} in ${later.length} hours`);
  }
  const handles = new Set(hours.slice(1).map((hour) => hour.handles));
  if (handles.size !== 1) wrong.push(`open files: ${hours.map((hour) => hour.handles).join(", ")}`);
  for (const [index, { temporary, forgotten }] of hours.entries()) {
    if (temporary.length > 0) wrong.push(`temporary files after hour ${index + 1}: ${temporary.join()}`);
    if (forgotten > 0) wrong.push(`${forgotten} files opened in hour ${index + 1} were not closed`);
  }
  return wrong;
}

/** Maximum size of the log in bytes while no reader holds a snapshot. */
const LONGEST_LOG = 80_000_000;
/** Bytes that a row adds to the log while a reader holds a snapshot. */
const LOG_OF_A_ROW = 32_000;

/** Bytes that may still be added before the log starts again from its beginning. */
const LAST_OF_A_LOG = 20_000_000;

/**
 * Judges the size of the write-ahead log. While a reader holds a snapshot, it may grow with the recorded rows;
 * otherwise it does not grow. (A program that records tries to empty a large log at most every five real seconds.)
 *
 * @param held The hours in which a reader held a snapshot, from 0.
 */
export function judgeLog(hours: readonly Measure[], held: ReadonlySet<number>, secondsAnHour: number): string[] {
  return hours.flatMap(({ largestLog }, index) => {
    const most = held.has(index)
      ? LONGEST_LOG + LOG_OF_A_ROW * secondsAnHour
      : Math.max(LONGEST_LOG, (hours[index - 1]?.log ?? 0) + (held.has(index - 1) ? LAST_OF_A_LOG : 0));
    return largestLog > most
      ? [`the log had ${text(largestLog)} in hour ${index + 1}, expected at most ${text(most)}`]
      : [];
  });
}
