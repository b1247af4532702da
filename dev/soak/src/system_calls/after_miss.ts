import { existsSync, readFileSync } from "node:fs";
import { timeOfStarts } from "../../../../test/patience.ts";
import { failedElsewhere } from "./strace.ts";

/** Time that a run is given after a wrong call failed, in milliseconds. */
const PATIENCE = timeOfStarts(100);

/** Milliseconds between two checks. */
const BETWEEN = 500;

/**
 * Returns a function, to be called repeatedly during a run, that returns true a while after a call failed that does not
 * concern the directory: if the byte is lost by which a thread of Node.js wakes another one, both wait forever.
 */
export function afterMiss(directory: string, log: string): () => boolean {
  let looked = performance.now();
  let missed = Number.POSITIVE_INFINITY;
  return () => {
    const now = performance.now();
    if (missed === Number.POSITIVE_INFINITY && now - looked > BETWEEN) {
      looked = now;
      if (existsSync(log) && failedElsewhere(directory, readFileSync(log, "utf8"))) missed = now;
    }
    return now - missed > PATIENCE;
  };
}
