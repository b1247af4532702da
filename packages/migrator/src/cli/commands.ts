import type { AnyOptions } from "../core/options.ts";
import type { MigrationReport } from "../core/report.ts";
import { migrateWhenAgreed } from "../commands/up.ts";
import { planMigration } from "../commands/plan.ts";
import { pruneMigration } from "../commands/prune.ts";
import { revertMigration } from "../commands/down.ts";
import { migrationStatus } from "../commands/status.ts";
import { verifyMigration } from "../commands/verify.ts";
import type { Command } from "./options.ts";

type Run = (targets: readonly string[], options: AnyOptions) => Promise<MigrationReport>;

/** Shows what would be done, and asks; false where it is not to be done. */
export type Ask = (plan: MigrationReport) => Promise<boolean>;

/** A command that works on data and answers with a report. */
export interface DataCommand {
  run: (targets: readonly string[], options: AnyOptions, ask: Ask | null) => Promise<MigrationReport>;
  /**
   * Of a command that changes something: what it asks, and what says beforehand what it would do; null where it asks
   * itself, between its plan and the first change, so that nothing is looked at twice.
   */
  asks?: { question: string; forecast: Run | null };
}

/** The same, without doing it. */
const dry =
  (run: Run): Run =>
  (targets, options) =>
    run(targets, { ...options, dryRun: true });

/** The commands that answer with a report. */
export const DATA_COMMANDS: Record<Exclude<Command, "states" | "copy">, DataCommand> = {
  plan: { run: planMigration },
  up: { run: migrateWhenAgreed, asks: { question: "Do this now?", forecast: null } },
  verify: { run: verifyMigration },
  status: { run: migrationStatus },
  down: { run: revertMigration, asks: { question: "Go back now?", forecast: dry(revertMigration) } },
  prune: { run: pruneMigration, asks: { question: "Remove this now?", forecast: dry(pruneMigration) } },
};
