/** perdura 15: pattern libraries, metrics and collaboration state of the line before 16, in SQLite and JSON. */
export * from "./persistence.ts";

/** The version of this line. */
export const VERSION = "15.0.0";
