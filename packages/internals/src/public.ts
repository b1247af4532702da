/** The public names that both lines share; each line re-exports all of them. */
export { ERROR_CODES, type ErrorCode } from "./errors/codes.ts";
export {
  CorruptDataError,
  FileNotFoundError,
  isPerduraError,
  JSONDecodeError,
  PerduraError,
  type PerduraErrorShape,
  UnsupportedFormatError,
  UnsupportedRuntimeError,
  ValidationError,
} from "./errors/errors.ts";
export type { JsonObject, JsonValue, RawJsonNumber } from "./json/values.ts";
export type { GlobalStats, UserStats } from "./metrics/statistics.ts";
export type { MetricsOptions } from "./metrics/interaction_log.ts";
export { type LibraryCounts, PatternLibrary, type PatternUsage } from "./patterns/library.ts";
export type { Pattern, PatternInput } from "./patterns/pattern.ts";
export { PatternPersistence } from "./patterns/persistence.ts";
export type { PatternStore } from "./patterns/store.ts";
export type { SaveResult, SaveToSqliteOptions } from "./patterns/sqlite_save.ts";
export type { Clock } from "./text/timestamps.ts";
