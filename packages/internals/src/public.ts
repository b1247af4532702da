/** The public names that both lines share; each line re-exports all of them. */
export { ERROR_CODES, type ErrorCode } from "./errors/codes.ts";
export {
  BusyError,
  ClosedError,
  CorruptDataError,
  type ErrorDetails,
  FileNotFoundError,
  isPerduraError,
  JSONDecodeError,
  MissingPackageError,
  PerduraError,
  type PerduraErrorShape,
  StorageError,
  UnsupportedFormatError,
  UnsupportedRuntimeError,
  ValidationError,
} from "./errors/errors.ts";
export type { FilePath } from "./files/places.ts";
export type { JsonObject, JsonObjectInput, JsonValue, RawJsonNumber } from "./json/values.ts";
export type { LoadOptions, NonFinite } from "./json/load_options.ts";
export type {
  BreakdownFigures,
  BreakdownOfOthers,
  BreakdownOfValue,
  BreakdownOptions,
  BreakdownRow,
  NumberFigures,
} from "./metrics/breakdown/breakdown.ts";
export type { Percentiles } from "./metrics/breakdown/percentiles.ts";
export type { DeleteBeforeOptions, Deleted, DeletionOptions, DeletionProgress } from "./metrics/deletion/deletion.ts";
export type { ExportOptions, ExportProgress } from "./metrics/export_progress.ts";
export type { WriterOptions } from "./metrics/writer_base.ts";
export type { GlobalStats, LevelCounts, UserStats } from "./metrics/stats.ts";
export type { BreakdownKeys, MetricsOptions } from "./metrics/options.ts";
export type { ListedInteraction, ListOptions, StoredInteractionFields } from "./metrics/listing/listing.ts";
export type { RangeOptions, StatisticsOptions } from "./metrics/time_range.ts";
export type { Bucket, TrendOptions, TrendPeriod, UserTrendOptions, UserTrendPeriod } from "./metrics/trends/trend.ts";
export type { TrustFigures } from "./metrics/trends/trust.ts";
export type { LibraryCounts } from "./patterns/counts.ts";
export type { DropInvalid, InvalidPattern, LibraryLoadOptions } from "./patterns/invalid_patterns.ts";
export { PatternLibrary, type PatternUsage } from "./patterns/library.ts";
export type { Pattern, PatternInput } from "./patterns/pattern.ts";
export { PatternPersistence } from "./patterns/persistence.ts";
export type { PatternStore } from "./patterns/pattern_store.ts";
export type { SaveResult, SaveToJsonOptions, SaveToSqliteOptions } from "./patterns/save_result.ts";
export type { DeletedUsage, DeleteUsageOptions } from "./patterns/usage_deletion.ts";
export type { Compacted } from "./sqlite/compact.ts";
export type { Durability } from "./sqlite/durability.ts";
export type { Clock } from "./text/timestamps.ts";
