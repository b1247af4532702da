export type { MigrationOptions } from "./options.ts";
export type { ProgressEvent, Stage } from "./report/progress.ts";
export type {
  BackupReport,
  DatabaseReport,
  ItemStatus,
  MigrationReport,
  OddRows,
  StateDirectoryReport,
  VerificationReport,
} from "./report/report.ts";
export { migrate } from "./run/migrate.ts";
export { planMigration } from "./run/plan.ts";
export { verifyMigration } from "./run/verify.ts";
export { VERSION } from "./version.ts";
