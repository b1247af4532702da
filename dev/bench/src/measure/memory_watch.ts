import { readdirSync, readFileSync } from "node:fs";
import { kilobytesOf } from "./peak_memory.ts";

/** Milliseconds between two samples. */
const PAUSE = 20;

/** Watches the memory of a process and its descendants. Linux only; elsewhere it sees nothing. */
export class MemoryWatch {
  /** Maximum of one process at any time, in MB (its high-water mark, so that nothing is missed between samples). */
  largest = 0;
  /** Maximum of all processes together in a sample; shared memory counts once. */
  together = 0;
  readonly #timer: NodeJS.Timeout;
  readonly #root: number;

  constructor(pid: number) {
    this.#root = pid;
    this.#timer = setInterval(() => this.#look(), PAUSE);
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    const found = [this.#root, ...descendants(this.#root)].map(memoryOf);
    this.largest = Math.max(this.largest, ...found.map(({ most }) => most));
    this.together = Math.max(
      this.together,
      found.reduce((sum, { now }) => sum + now, 0),
    );
  }
}

function descendants(pid: number): number[] {
  try {
    const children = readdirSync(`/proc/${pid}/task`).flatMap((task) =>
      readFileSync(`/proc/${pid}/task/${task}/children`, "utf8").split(" ").filter(Boolean).map(Number),
    );
    return children.flatMap((child) => [child, ...descendants(child)]);
  } catch {
    return [];
  }
}

/** In MB; 0 for a process that has ended. */
function memoryOf(pid: number): { now: number; most: number } {
  return { now: kilobytesOf(pid, "smaps_rollup", "Pss") / 1000, most: kilobytesOf(pid, "status", "VmHWM") / 1000 };
}
