/**
 * perdura 15: pattern libraries, metrics and collaboration state of the pre-16 line, in SQLite and JSON.
 *
 * @module
 */
import manifest from "../package.json" with { type: "json" };
export * from "./persistence.ts";

/** The version of this line. */
export const VERSION: string = manifest.version;
