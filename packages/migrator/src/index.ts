/**
 * Migrates perdura's data from pre-16 to 16, downgrades it, and copies it to PostgreSQL.
 *
 * @module
 */
export type { NonFinite } from "@perdura/internals/json/load_options.js";
export type {
  CommonOptions,
  MigrationOptions,
  MissingLevelOption,
  PruneOptions,
  DowngradeOptions,
  TimestampRepair,
} from "./core/options.ts";
export type { ProgressEvent, Stage } from "./core/progress.ts";
export type {
  AssumedLevels,
  BackupReport,
  DatabaseReport,
  Decision,
  FileLeftAlone,
  ItemStatus,
  MigrationReport,
  MissingLevels,
  UnusualRows,
  OtherTable,
  PastMigration,
  PatternChoice,
  StateDirectoryReport,
  MergedRows,
  VerificationReport,
} from "./core/report.ts";
export { type CopyOptions, copyData } from "./commands/copy.ts";
export type { CopiedKeys, CopiedTableReport, CopyReport } from "./copy/copy_report.ts";
export type { Fault } from "./copy/faults.ts";
export type { CounterBehind, ServerReport, ServersReport } from "./commands/verify_servers.ts";
export { verifyServers, type VerifyServersOptions } from "./commands/verify_servers.ts";
export { migrate } from "./commands/up.ts";
export type {
  MaintainedDatabase,
  MaintainedStates,
  MaintenanceReport,
  MaintenanceStatus,
} from "./core/maintenance_report.ts";
export { compactDatabases } from "./commands/compact.ts";
export { forgetData, type ForgetOptions } from "./commands/forget.ts";
export { makeSums } from "./commands/sums.ts";
export { planMigration } from "./commands/plan.ts";
export { pruneMigration } from "./commands/prune.ts";
export { migrationStatus } from "./commands/status.ts";
export {
  type FoundData,
  type ReadableDatabase,
  readData,
  type ReadOptions,
  type StatesSource,
} from "./commands/read_data.ts";
export { downgradeMigration } from "./commands/down.ts";
export { verifyMigration } from "./commands/verify.ts";
export { extractArchivedStates, type ExtractedStates } from "./archive/restore/extract_archived.ts";
export { type ArchivedState, listArchivedStates } from "./archive/read/list_archived.ts";
export { VERSION } from "./core/version.ts";
