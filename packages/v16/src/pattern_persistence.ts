/**
 * Saving and loading pattern libraries in the 16+ line (specification, section 4.1).
 *
 * @module
 */
export { PatternPersistence } from "@perdura/internals/patterns/persistence.js";
export type { SaveResult, SaveToSqliteOptions } from "@perdura/internals/patterns/save_result.js";
export type { DeletedUsage, DeleteUsageOptions } from "@perdura/internals/patterns/usage_deletion.js";
