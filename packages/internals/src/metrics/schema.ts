/** Name of the level column: `empathy_level` in the pre-16 line, `level` in the 16+ line (specification, section 9). */
export type LevelColumn = "empathy_level" | "level";

/** The table of specification section 2.5, with its columns in that order. */
export function interactionsTable(levelColumn: LevelColumn): string {
  return `CREATE TABLE IF NOT EXISTS interactions (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id TEXT NOT NULL,
    ${levelColumn} INTEGER NOT NULL,
    success BOOLEAN NOT NULL,
    response_time_ms REAL,
    timestamp TIMESTAMP DEFAULT CURRENT_TIMESTAMP
)`;
}

/** The indexes of specification section 2.3, by name. */
export const INTERACTION_INDEXES = {
  idx_interactions_user: "CREATE INDEX IF NOT EXISTS idx_interactions_user ON interactions(user_id)",
  idx_interactions_timestamp: "CREATE INDEX IF NOT EXISTS idx_interactions_timestamp ON interactions(timestamp)",
} as const;

/**
 * Table for `metadata`: `interactions` has no column for it (ruling U-metadata-storage). The text is stored as
 * given; rows exist only for interactions that have metadata.
 */
export const INTERACTION_METADATA_TABLE = `CREATE TABLE IF NOT EXISTS interaction_metadata (
    interaction_id INTEGER PRIMARY KEY REFERENCES interactions(id) ON DELETE CASCADE,
    metadata TEXT NOT NULL
)`;

/** SQL for all objects of a metrics database, in the order of creation. */
export function metricsSchema(levelColumn: LevelColumn): string[] {
  return [interactionsTable(levelColumn), ...Object.values(INTERACTION_INDEXES), INTERACTION_METADATA_TABLE];
}
