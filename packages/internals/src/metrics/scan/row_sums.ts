import { SCALE } from "../aggregates.ts";
import type { LevelCounts } from "../stats.ts";
import { rate } from "../user_stats.ts";

/** Sums of rows that are added one by one. */
export class RowSums {
  readonly #levels: [number, number, number, number, number] = [0, 0, 0, 0, 0];
  #successes = 0;
  #measured = 0;
  #ms = 0;
  /** Sum of the rounding errors of these additions (Neumaier's sum). */
  #lost = 0;
  /** The sum of the times divided by {@link SCALE}, for times whose sum is beyond the range of a double. */
  #scaled = 0;
  operations = 0;

  /**
   * @param level 1 to 5; 0 for another value.
   * @param ms A finite response time, or null.
   */
  add(level: number, success: boolean, ms: number | null): void {
    this.operations += 1;
    if (success) this.#successes += 1;
    if (level > 0) this.#levels[level - 1] = (this.#levels[level - 1] as number) + 1;
    if (ms === null) return;
    this.#measured += 1;
    this.#addTime(ms);
    this.#scaled += ms / SCALE;
  }

  #addTime(ms: number): void {
    const sum = this.#ms + ms;
    this.#lost += Math.abs(this.#ms) >= Math.abs(ms) ? this.#ms - sum + ms : ms - sum + this.#ms;
    this.#ms = sum;
  }

  /** Adds other sums. */
  join(other: RowSums): void {
    this.operations += other.operations;
    this.#successes += other.#successes;
    for (const level of [0, 1, 2, 3, 4] as const) this.#levels[level] += other.#levels[level];
    this.#measured += other.#measured;
    this.#addTime(other.#ms);
    this.#lost += other.#lost;
    this.#scaled += other.#scaled;
  }

  copy(): RowSums {
    const copy = new RowSums();
    copy.join(this);
    return copy;
  }

  get successRate(): number {
    return rate(this.#successes, this.operations);
  }

  get meanResponseTime(): number {
    const mean = rate(this.#ms + this.#lost, this.#measured);
    return Number.isFinite(mean) ? mean : rate(this.#scaled, this.#measured) * SCALE;
  }

  get levelCounts(): LevelCounts {
    const [one, two, three, four, five] = this.#levels;
    return { level_1_count: one, level_2_count: two, level_3_count: three, level_4_count: four, level_5_count: five };
  }
}
