import { existsSync, readFileSync } from "node:fs";
import { PATIENCE_MS } from "../../../../test/patience.ts";
import { missedBelow } from "./strace.ts";

/** How long a run goes on after another call failed than was meant, in milliseconds: a hundred starts of a process. */
const PATIENCE = PATIENCE_MS / 30;

/** Between two looks, in milliseconds. */
const BETWEEN = 500;

/**
 * Asked again and again during a run, it says yes to ending it a while after a call failed that has nothing to do with a
 * directory: where the byte is lost by which a thread of Node.js wakes another one, both wait for ever.
 */
export function afterMiss(directory: string, log: string): () => boolean {
  let looked = performance.now();
  let missed = Number.POSITIVE_INFINITY;
  return () => {
    const now = performance.now();
    if (missed === Number.POSITIVE_INFINITY && now - looked > BETWEEN) {
      looked = now;
      if (existsSync(log) && missedBelow(directory, readFileSync(log, "utf8"))) missed = now;
    }
    return now - missed > PATIENCE;
  };
}
