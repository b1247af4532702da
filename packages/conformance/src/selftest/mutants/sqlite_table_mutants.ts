import { alters, row } from "./mutations.ts";
import type { Mutant } from "./mutations.ts";
import { both, redeclares } from "./sqlite_mutations.ts";

const PATTERN_KEY = /id TEXT NOT NULL PRIMARY KEY([^]*)\)$/;
/** A foreign key to what is no key would be found before anything else. */
const NO_USAGE = alters("DROP TABLE IF EXISTS pattern_usage");

/** Tables, columns, keys and indexes of pattern databases that are wrong (sections 2.1 and 2.3). */
export const SQLITE_TABLE_MUTANTS: readonly Mutant[] = [
  row(
    "makes pattern_usage only when there are uses",
    "R-4.1/tables",
    16,
    "patterns-sqlite/tables",
    alters("DROP TABLE pattern_usage"),
  ),
  row(
    "calls the column of pattern_type type",
    "R-2.1/fields.sqlite",
    15,
    "patterns-sqlite/columns",
    alters("ALTER TABLE patterns RENAME COLUMN pattern_type TO type"),
  ),
  row(
    "calls the time of a use timestamp",
    "R-2.2/columns",
    16,
    "patterns-sqlite/usage-columns",
    alters("ALTER TABLE pattern_usage RENAME COLUMN used_at TO timestamp"),
  ),
  row(
    "has a confidence column without a default",
    "R-2.1/confidence.default",
    16,
    "patterns-sqlite/column-default-confidence",
    redeclares("patterns", "REAL DEFAULT 0.5", "REAL"),
  ),
  row(
    "has a counter column without a default",
    "R-2.1/counts.default",
    15,
    "patterns-sqlite/column-default-counts",
    redeclares("patterns", "failure_count INTEGER DEFAULT 0", "failure_count INTEGER"),
  ),
  row(
    "leaves updated_at to the program",
    "R-2.1/updated-at.default",
    16,
    "patterns-sqlite/column-default-updated-at",
    redeclares("patterns", "updated_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP", "updated_at TIMESTAMP"),
  ),
  row(
    "has empty text as the default of a column",
    "R-2.1/none.default",
    16,
    "patterns-sqlite/column-no-values",
    redeclares("patterns", "description TEXT", "description TEXT DEFAULT ''"),
  ),
  row(
    "demands a description of every row",
    "R-2.1/optional",
    15,
    "patterns-sqlite/optional-columns",
    redeclares("patterns", "description TEXT", "description TEXT NOT NULL"),
  ),
  row(
    "has one key over id and agent",
    "R-2.1/id.primary-key",
    16,
    "patterns-sqlite/primary-key",
    both(NO_USAGE, redeclares("patterns", PATTERN_KEY, "id TEXT NOT NULL$1, PRIMARY KEY (id, agent_id))")),
  ),
  row(
    "has an id that is no key",
    "R-2.1/id.primary-key",
    15,
    "patterns-sqlite/primary-key",
    both(NO_USAGE, redeclares("patterns", PATTERN_KEY, "id TEXT NOT NULL$1)")),
  ),
  row(
    "takes ids for equal that differ in case",
    "R-2.1/id.primary-key",
    16,
    "patterns-sqlite/ids-apart",
    redeclares("patterns", "PRIMARY KEY", "PRIMARY KEY COLLATE NOCASE"),
  ),
  row(
    "allows a row without an agent",
    "R-2.1/agent-id.required",
    16,
    "patterns-sqlite/agent-id-required",
    redeclares("patterns", "agent_id TEXT NOT NULL", "agent_id TEXT"),
  ),
  row(
    "has a default type",
    "R-2.1/pattern-type.required",
    16,
    "patterns-sqlite/pattern-type-required",
    redeclares("patterns", "pattern_type TEXT NOT NULL", "pattern_type TEXT NOT NULL DEFAULT 'general'"),
  ),
  row(
    "allows a row without a name",
    "R-2.1/name.required",
    15,
    "patterns-sqlite/name-required",
    redeclares("patterns", "name TEXT NOT NULL", "name TEXT DEFAULT ''"),
  ),
  row(
    "stores confidence as text",
    "R-2.1/storage-classes",
    16,
    "patterns-sqlite/storage-classes",
    redeclares("patterns", "confidence REAL", "confidence TEXT"),
  ),
  row(
    "calls an index by its column",
    "R-2.3/patterns.agent",
    16,
    "patterns-sqlite/index-agent",
    alters("DROP INDEX idx_patterns_agent; CREATE INDEX idx_patterns_agent_id ON patterns(agent_id)"),
  ),
  row(
    "indexes another column under the right name",
    "R-2.3/patterns.type",
    15,
    "patterns-sqlite/index-type",
    alters("DROP INDEX idx_patterns_type; CREATE INDEX idx_patterns_type ON patterns(name)"),
  ),
  row(
    "forgets an index of patterns",
    "R-2.3/patterns.confidence",
    16,
    "patterns-sqlite/index-confidence",
    alters("DROP INDEX idx_patterns_confidence"),
  ),
  row(
    "allows each type once",
    "R-4.1/save-to-sqlite",
    16,
    "patterns-sqlite/indexes-allow-equals",
    alters(
      "DROP INDEX idx_patterns_type; DELETE FROM patterns WHERE id = 'p2'; CREATE UNIQUE INDEX idx_patterns_type ON patterns(pattern_type)",
    ),
  ),
];
