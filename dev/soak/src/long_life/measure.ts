import { readdirSync, statSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";

/** What a program has and holds at the end of an hour. */
export interface Measure {
  /** Bytes of JavaScript objects after the garbage was collected. */
  heap: number;
  /** Bytes of memory of the process. */
  memory: number;
  /** Open file descriptors. */
  handles: number;
  /** Further ones that only the collection of garbage closed. */
  forgotten: number;
  /** Names of temporary files that lie in its directory. */
  temporary: string[];
  /** Bytes of the write-ahead log now, and the most in this hour. */
  log: number;
  largestLog: number;
}

/** Bytes of a database's write-ahead log. */
export function logSize(database: string): number {
  return statSync(`${database}-wal`, { throwIfNoEntry: false })?.size ?? 0;
}

const openFiles = (): number => readdirSync("/proc/self/fd").length;

/** Open files once none is being closed any more: an export is brought to the disk by a thread, which closes its own. */
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
 * @param directory Where its temporary files would be.
 */
export async function measureProcess(directory: string, database: string, largestLog: number): Promise<Measure> {
  const { gc } = globalThis;
  if (gc === undefined) throw new Error("To measure memory, node needs --expose-gc.");
  const before = await settled();
  // What finalizers let go is free after another round.
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
