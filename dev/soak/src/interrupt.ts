import { disturbMigrations } from "./migrations/disturb_all.ts";
import type { Soak } from "./soak.ts";
import { missingTrace } from "./system_calls/strace.ts";

/** Simulates Ctrl+C and the stop of a service. */
export const interrupt: Soak = {
  name: "interrupt",
  about: "send SIGINT and SIGTERM to migrations at every system call",
  missing: missingTrace,
  run: (round) => disturbMigrations(round, "interrupt"),
};
