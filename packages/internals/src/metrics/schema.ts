/** Name of the level column: `empathy_level` in the pre-16 line, `level` in the 16+ line (specification, section 9). */
export type LevelColumn = "empathy_level" | "level";

/** The lowest id that a row can have. */
export const LOWEST_ID = "-9223372036854775808";

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

/**
 * Metadata belong to their row, whichever program changes the row: without foreign keys SQLite would keep them, and a
 * later row with the same id would get them. The second trigger runs after the insert, because a conflict may still
 * ignore the row before; a row that replaced another one has no metadata yet.
 */
export const METADATA_TRIGGERS = {
  perdura_metadata_delete: `CREATE TRIGGER IF NOT EXISTS perdura_metadata_delete AFTER DELETE ON interactions BEGIN
    DELETE FROM interaction_metadata WHERE interaction_id = OLD.id;
END`,
  perdura_metadata_replace: `CREATE TRIGGER IF NOT EXISTS perdura_metadata_replace AFTER INSERT ON interactions
    WHEN EXISTS (SELECT 1 FROM interaction_metadata WHERE interaction_id = NEW.id) BEGIN
    DELETE FROM interaction_metadata WHERE interaction_id = NEW.id;
END`,
  perdura_metadata_move: `CREATE TRIGGER IF NOT EXISTS perdura_metadata_move AFTER UPDATE OF id ON interactions
    WHEN OLD.id <> NEW.id BEGIN
    DELETE FROM interaction_metadata WHERE interaction_id = NEW.id;
    UPDATE interaction_metadata SET interaction_id = NEW.id WHERE interaction_id = OLD.id;
END`,
} as const;

/** True for a trigger of {@link METADATA_TRIGGERS}, by its name and SQL text. */
export function isMetadataTrigger({ name, sql }: { name: string; sql: string | null }): boolean {
  const own = Object.entries(METADATA_TRIGGERS).find(([trigger]) => trigger === name)?.[1];
  // SQLite stores the text without these words.
  return own !== undefined && own.replace("IF NOT EXISTS ", "") === sql;
}

/** SQL for all objects of a metrics database, in the order of creation. */
export function metricsSchema(levelColumn: LevelColumn): string[] {
  return [
    interactionsTable(levelColumn),
    ...Object.values(INTERACTION_INDEXES),
    INTERACTION_METADATA_TABLE,
    ...Object.values(METADATA_TRIGGERS),
  ];
}
