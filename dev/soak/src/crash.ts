import { disturbMigrations } from "./migrations/disturb_all.ts";
import { disturbOperations } from "./operations/disturb_all.ts";
import type { Soak } from "./soak.ts";
import { missingTrace } from "./system_calls/strace.ts";

/** Killed with SIGKILL before every system call that changes the disk. */
export const crash: Soak = {
  name: "crash",
  about: "kill at every system call that changes the disk",
  missing: missingTrace,
  run: async (round) => {
    await disturbOperations(round, "kill");
    await disturbMigrations(round, "kill");
  },
};
