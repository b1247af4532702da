import { disturbMigrations } from "./migrations/disturb_all.ts";
import { disturbOperations } from "./operations/disturb_all.ts";
import type { Soak } from "./soak.ts";
import { missingTrace } from "./system_calls/strace.ts";

/** Lets every system call that changes the disk fail once. */
export const errors: Soak = {
  name: "errors",
  about: "let each system call fail with EIO, ENOSPC, EMFILE and others",
  missing: missingTrace,
  run: async (round) => {
    await disturbOperations(round, "fail");
    await disturbMigrations(round, "fail");
  },
};
