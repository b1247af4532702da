/**
 * perdura 15: pattern libraries, metrics and collaboration state of the line before 16, in SQLite and JSON.
 *
 * @module
 */
import manifest from "../package.json" with { type: "json" };
export * from "./persistence.ts";

/** The version of this line. */
export const VERSION: string = manifest.version;
