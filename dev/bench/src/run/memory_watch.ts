import { readdirSync, readFileSync } from "node:fs";
import { kilobytesOf } from "./peak_memory.ts";

/** How often is looked, in milliseconds. */
const PAUSE = 20;

/** Watches the memory of a process and of those that it started. Linux only; elsewhere it sees nothing. */
export class MemoryWatch {
  /** The most that one process had at any time, in MB (its high-water mark, so nothing is missed in between). */
  largest = 0;
  /** The most that all had together when it was looked; what they share counts once. */
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

/** In MB; nothing of a process that is gone. */
function memoryOf(pid: number): { now: number; most: number } {
  return { now: kilobytesOf(pid, "smaps_rollup", "Pss") / 1000, most: kilobytesOf(pid, "status", "VmHWM") / 1000 };
}
