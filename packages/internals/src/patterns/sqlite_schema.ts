import { CorruptDataError } from "../errors/errors.ts";
import { assertColumns, columnsOf, schemaObjects } from "../sqlite/catalog.ts";
import type { Database } from "../sqlite/open_database.ts";
import { assertTypes } from "../validity/column_types.ts";
import { PATTERN_FIELDS } from "../validity/pattern_fields.ts";

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

/**
 * Creates missing tables, and checks that existing tables can store patterns.
 *
 * @throws CorruptDataError that names what a table lacks.
 * @throws UnsupportedFormatError if a column has a declared type that would change stored values.
 */
export function createPatternTables(database: Database, dbPath: string): void {
  database.exec(PATTERNS_TABLE);
  assertColumns(database, "patterns", [...PATTERN_FIELDS, "updated_at"], dbPath);
  assertTypesOf(database, "patterns", dbPath);
  assertUniqueIds(database, dbPath);
  database.exec(PATTERN_USAGE_TABLE);
  assertColumns(database, "pattern_usage", ["pattern_id", "agent_id", "success", "used_at"], dbPath);
  assertTypesOf(database, "pattern_usage", dbPath);
}

function assertTypesOf(database: Database, table: "patterns" | "pattern_usage", dbPath: string): void {
  assertTypes(table, columnsOf(database, table), schemaObjects(database, [table])[0]?.sql ?? "", dbPath);
}

/** True if a key on `id` distinguishes all texts; otherwise two patterns could become one. */
export function hasUniqueIds(database: Database): boolean {
  const key = database
    .prepare(
      `SELECT 1 FROM pragma_index_list('patterns') AS list
       WHERE list."unique" AND NOT list.partial
         AND (SELECT count(*) FROM pragma_index_xinfo(list.name) AS part WHERE part.key) = 1
         AND EXISTS (SELECT 1 FROM pragma_index_xinfo(list.name) AS part WHERE part.key AND part.name = 'id' COLLATE NOCASE AND part.coll = 'BINARY')`,
    )
    .get();
  return key !== undefined;
}

function assertUniqueIds(database: Database, dbPath: string): void {
  if (hasUniqueIds(database)) return;
  throw new CorruptDataError(
    `the table "patterns" has no unique key on "id" with binary collation. No stored data was changed.`,
    {
      path: dbPath,
    },
  );
}
