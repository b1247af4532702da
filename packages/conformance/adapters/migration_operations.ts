import { migrate } from "@perdura/migrator";
import type { Operations } from "./line_adapter.ts";

/** A migration that stopped for a decision, or because of invalid data; nothing was changed. */
export class MigrationRefused extends Error {}

/** Migration of pre-16 data to 16 (section 9). */
export const migrationOperations: Operations = {
  migrate: async ({ args }) => {
    const report = await migrate([args.path], { saveReport: false });
    if (report.exit_code === 0) return {};
    const reasons = [...report.databases, ...report.state_directories, ...report.refused].map((item) => item.reason);
    const words = [report.summary, ...reasons].filter((reason) => reason !== null).join("; ");
    throw report.exit_code === 3 ? new MigrationRefused(words) : new Error(words);
  },
};
