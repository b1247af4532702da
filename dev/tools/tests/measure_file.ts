import { afterAll, afterEach, expect } from "vitest";
import { cpuSeconds } from "./cpu_time.ts";

declare module "vitest" {
  interface TaskMeta {
    /** CPU seconds of the file: its share of the start of the process, its tests, and the children that ended. */
    cpu_seconds?: number;
    /** How often `expect` was called and answered. */
    assertions?: number;
  }
}

/** Where several files share a process, each has what came after the one before it. */
const BEFORE = Symbol.for("perdura.cpu_seconds_before");
const shared = globalThis as { [BEFORE]?: number };

let assertions = 0;

afterEach(() => {
  assertions += expect.getState().assertionCalls;
});

// Vitest insists on a pattern here, as it gives what is asked for by name.
// oxlint-disable-next-line no-empty-pattern
afterAll(({}, suite) => {
  const now = cpuSeconds();
  Object.assign(suite.file.meta, { cpu_seconds: now - (shared[BEFORE] ?? 0), assertions });
  shared[BEFORE] = now;
});
