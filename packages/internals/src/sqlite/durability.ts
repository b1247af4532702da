/**
 * `full`: a finished write survives a power cut. `normal`: it survives a crash of the process, but a power cut may lose
 * the last writes.
 */
export type Durability = "full" | "normal";

export const DEFAULT_DURABILITY: Durability = "full";

/**
 * SQLite's setting for each. The driver is built with NORMAL for WAL, with which a power cut may lose acknowledged rows.
 * EXTRA does the same as FULL for a rollback journal and also syncs the journal's directory entry.
 */
export const SYNCHRONOUS: Readonly<Record<Durability, string>> = { full: "EXTRA", normal: "NORMAL" };
