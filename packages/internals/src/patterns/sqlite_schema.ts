/** Tables and indexes of a pattern database (specification, sections 2.1 to 2.3). */

export const PATTERNS_TABLE = `CREATE TABLE IF NOT EXISTS patterns (
    id TEXT NOT NULL PRIMARY KEY,
    agent_id TEXT NOT NULL,
    pattern_type TEXT NOT NULL,
    name TEXT NOT NULL,
    description TEXT,
    context TEXT,
    code TEXT,
    confidence REAL DEFAULT 0.5,
    usage_count INTEGER DEFAULT 0,
    success_count INTEGER DEFAULT 0,
    failure_count INTEGER DEFAULT 0,
    tags TEXT,
    discovered_at TIMESTAMP,
    last_used TIMESTAMP,
    updated_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP
)`;

export const PATTERN_USAGE_TABLE = `CREATE TABLE IF NOT EXISTS pattern_usage (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    pattern_id TEXT NOT NULL,
    agent_id TEXT NOT NULL,
    success BOOLEAN NOT NULL,
    used_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP,
    FOREIGN KEY (pattern_id) REFERENCES patterns(id)
)`;

/** The indexes by name. Databases of older programs lack them. */
export const PATTERN_INDEXES = {
  idx_patterns_agent: "CREATE INDEX IF NOT EXISTS idx_patterns_agent ON patterns(agent_id)",
  idx_patterns_type: "CREATE INDEX IF NOT EXISTS idx_patterns_type ON patterns(pattern_type)",
  idx_patterns_confidence: "CREATE INDEX IF NOT EXISTS idx_patterns_confidence ON patterns(confidence)",
} as const;
