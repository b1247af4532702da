import { disturbMigrations } from "./migrations/disturb_all.ts";
import type { Soak } from "./soak.ts";
import { missingTrace } from "./system_calls/strace.ts";

/** Somebody presses Ctrl+C, or a service is stopped. */
export const interrupt: Soak = {
  name: "interrupt",
  about: "sends SIGINT and SIGTERM to migrations at every system call: rolled back, or done already",
  missing: missingTrace,
  run: (round) => disturbMigrations(round, "interrupt"),
};
