/**
 * Pattern libraries of the 16+ line (specification, section 1).
 *
 * @module
 */
export type { LibraryCounts } from "@perdura/internals/patterns/counts.js";
export { PatternLibrary, type PatternUsage } from "@perdura/internals/patterns/library.js";
export type { Pattern, PatternInput } from "@perdura/internals/patterns/pattern.js";
