import { readdirSync, statSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";

/** Resources of a program at the end of an hour. */
export interface Measure {
  /** Bytes of JavaScript objects after garbage collection. */
  heap: number;
  /** Bytes of memory of the process. */
  memory: number;
  /** Open file descriptors. */
  handles: number;
  /** Number of files that only the garbage collector closed. */
  forgotten: number;
  /** Names of temporary files in its directory. */
  temporary: string[];
  /** Bytes of the write-ahead log now, and its maximum in this hour. */
  log: number;
  largestLog: number;
}

/** Bytes of a database's write-ahead log. */
export function logSize(database: string): number {
  return statSync(`${database}-wal`, { throwIfNoEntry: false })?.size ?? 0;
}

const openFiles = (): number => readdirSync("/proc/self/fd").length;

/** Number of open files once it is stable: an export is synced by a thread, which closes its own files. */
async function settled(): Promise<number> {
  let [last, same] = [openFiles(), 0];
  while (same < 20) {
    await pause(5);
    const now = openFiles();
    same = now === last ? same + 1 : 0;
    last = now;
  }
  return last;
}

/**
 * Measures this process, which must run with `--expose-gc`.
 *
 * @param directory The place of its temporary files.
 */
export async function measureProcess(directory: string, database: string, largestLog: number): Promise<Measure> {
  const { gc } = globalThis;
  if (gc === undefined) throw new Error("Measuring memory requires node --expose-gc.");
  const before = await settled();
  // Memory that finalizers release is free only after another collection.
  for (let round = 0; round < 3; round += 1) {
    gc();
    await new Promise((resolve) => void setImmediate(resolve));
  }
  const handles = openFiles();
  const { heapUsed, rss } = process.memoryUsage();
  const names = readdirSync(directory, { recursive: true, encoding: "utf8" });
  const log = logSize(database);
  return {
    heap: heapUsed,
    memory: rss,
    handles,
    forgotten: before - handles,
    temporary: names.filter((name) => /perdura-tmp|-journal$/.test(name)),
    log,
    largestLog: Math.max(log, largestLog),
  };
}
