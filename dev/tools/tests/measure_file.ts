import { afterAll, afterEach, expect } from "vitest";
import { cpuSeconds } from "./cpu_time.ts";

declare module "vitest" {
  interface TaskMeta {
    /** CPU seconds of the file: its share of the start of the process, its tests, and the children that ended. */
    cpu_seconds?: number;
    /** Number of calls of `expect`. */
    assertions?: number;
  }
}

/** CPU seconds at the end of the previous file, if several files share a process. */
const BEFORE = Symbol.for("perdura.cpu_seconds_before");
const shared = globalThis as { [BEFORE]?: number };

let assertions = 0;

afterEach(() => {
  assertions += expect.getState().assertionCalls;
});

// Vitest requires a destructuring pattern here, since it passes only what the pattern names.
// oxlint-disable-next-line no-empty-pattern
afterAll(({}, suite) => {
  const now = cpuSeconds();
  Object.assign(suite.file.meta, { cpu_seconds: now - (shared[BEFORE] ?? 0), assertions });
  shared[BEFORE] = now;
});
