import type { ColumnModel, Described, IndexModel, TableModel } from "./altered_table.ts";

/** Columns from their declarations, as `name TYPE|NOT NULL|DEFAULT 0`. */
const columnsOf = (...declarations: string[]): ColumnModel[] =>
  declarations.map((declaration) => {
    const [start = "", ...rest] = declaration.split("|");
    const [name = "", type = ""] = start.split(" ");
    return { field: name, name, type, rest };
  });
const index = (name: string, on: string): IndexModel => ({ name, on, unique: false, where: "" });
const table = (name: string, columns: ColumnModel[], constraints: string[], indexes: IndexModel[]): TableModel => ({
  name,
  columns,
  constraints,
  options: "",
  indexes,
  after: [],
});

/** The table `patterns` of sections 2.1 and 2.3. */
export const PATTERNS: Described = {
  model: table(
    "patterns",
    columnsOf(
      "id TEXT|PRIMARY KEY",
      "agent_id TEXT|NOT NULL",
      "pattern_type TEXT|NOT NULL",
      "name TEXT|NOT NULL",
      "description TEXT",
      "context TEXT",
      "code TEXT",
      "confidence REAL|DEFAULT 0.5",
      "usage_count INTEGER|DEFAULT 0",
      "success_count INTEGER|DEFAULT 0",
      "failure_count INTEGER|DEFAULT 0",
      "tags TEXT",
      "discovered_at TIMESTAMP",
      "last_used TIMESTAMP",
      "updated_at TIMESTAMP|DEFAULT CURRENT_TIMESTAMP",
    ),
    [],
    [
      index("idx_patterns_agent", "agent_id"),
      index("idx_patterns_type", "pattern_type"),
      index("idx_patterns_confidence", "confidence"),
    ],
  ),
  updates: [
    "UPDATE patterns SET context = '[1]'",
    "UPDATE patterns SET context = '{tool: 1}'",
    "UPDATE patterns SET context = 'null', tags = 'null'",
    `UPDATE patterns SET context = '{"a":1,"a":2}'`,
    "UPDATE patterns SET tags = '[1]'",
    "UPDATE patterns SET tags = CAST(tags AS BLOB)",
    "UPDATE patterns SET confidence = 'high'",
    "UPDATE patterns SET usage_count = 1.5",
    "UPDATE patterns SET name = x'00'",
    "UPDATE patterns SET name = CAST(x'ff' AS TEXT)",
    "UPDATE patterns SET discovered_at = 'yesterday'",
    // A file does not say that a value should be missing, so values that are missing stay so.
    "UPDATE patterns SET last_used = 5 WHERE last_used IS NOT NULL",
    "UPDATE patterns SET last_used = replace(last_used, 'T', ' ')",
    "UPDATE patterns SET updated_at = unixepoch()",
    "UPDATE patterns SET updated_at = strftime('%Y-%m-%dT%H:%M:%fZ', 'now')",
    "UPDATE patterns SET updated_at = 'now'",
    "UPDATE patterns SET id = NULL",
    "UPDATE patterns SET agent_id = NULL",
  ],
  constraints: [
    "UNIQUE (agent_id, name)",
    "UNIQUE (id, agent_id)",
    "UNIQUE (id)",
    "PRIMARY KEY (id)",
    "PRIMARY KEY (id, agent_id)",
    "CHECK (confidence BETWEEN 0 AND 1)",
    "CHECK (length(id) > 0)",
    "CHECK (json_valid(context))",
    "CHECK (usage_count < 1000000)",
  ],
};

/** The table `pattern_usage` of section 2.2. */
export const USAGE: Described = {
  model: table(
    "pattern_usage",
    columnsOf(
      "id INTEGER|PRIMARY KEY|AUTOINCREMENT",
      "pattern_id TEXT|NOT NULL",
      "agent_id TEXT|NOT NULL",
      "success BOOLEAN|NOT NULL",
      "used_at TIMESTAMP|DEFAULT CURRENT_TIMESTAMP",
    ),
    ["FOREIGN KEY (pattern_id) REFERENCES patterns(id)"],
    [],
  ),
  updates: [
    "INSERT INTO pattern_usage (pattern_id, agent_id, success) SELECT id, 'a', 1 FROM patterns",
    "INSERT INTO pattern_usage (pattern_id, agent_id, success) VALUES ('gone', 'a', 1)",
  ],
  constraints: [
    "UNIQUE (pattern_id, agent_id)",
    "UNIQUE (id, pattern_id)",
    "FOREIGN KEY (pattern_id) REFERENCES patterns",
    "FOREIGN KEY (pattern_id) REFERENCES patterns(id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED",
    "FOREIGN KEY (pattern_id) REFERENCES PATTERNS(ID)",
    "FOREIGN KEY (agent_id) REFERENCES patterns(id)",
    "FOREIGN KEY (pattern_id, agent_id) REFERENCES patterns(id, agent_id)",
    "CHECK (success IN (0, 1))",
    "CHECK (success IN ('yes', 'no'))",
  ],
};

/** The table `interactions` of sections 2.3 and 2.5. */
export const interactions = (level: "level" | "empathy_level"): Described => ({
  model: table(
    "interactions",
    columnsOf(
      "id INTEGER|PRIMARY KEY|AUTOINCREMENT",
      "user_id TEXT|NOT NULL",
      `${level} INTEGER|NOT NULL`,
      "success BOOLEAN|NOT NULL",
      "response_time_ms REAL",
      "timestamp TIMESTAMP|DEFAULT CURRENT_TIMESTAMP",
    ),
    [],
    [index("idx_interactions_user", "user_id"), index("idx_interactions_timestamp", "timestamp")],
  ),
  updates: [
    `UPDATE interactions SET ${level} = 9`,
    `UPDATE interactions SET ${level} = 'high'`,
    "UPDATE interactions SET success = 2",
    "UPDATE interactions SET success = iif(success, 'true', 'false')",
    "UPDATE interactions SET response_time_ms = 'slow'",
    "UPDATE interactions SET timestamp = 'then'",
    "UPDATE interactions SET timestamp = unixepoch()",
    "UPDATE interactions SET timestamp = replace(timestamp, ' ', 'T')",
    "UPDATE interactions SET user_id = CAST(user_id AS BLOB)",
    "UPDATE interactions SET user_id = NULL",
    `ALTER TABLE interactions ADD COLUMN ${level === "level" ? "empathy_level" : "level"} INTEGER`,
    "ALTER TABLE interactions ADD COLUMN metadata TEXT",
    `ALTER TABLE interactions RENAME COLUMN ${level} TO ${level === "level" ? "empathy_level" : "level"}`,
    `CREATE TABLE metrics (id INTEGER PRIMARY KEY, user_id TEXT, ${level} INTEGER, success BOOLEAN, response_time_ms REAL, timestamp)`,
  ],
  constraints: [
    "UNIQUE (user_id)",
    "UNIQUE (id, user_id)",
    `CHECK (${level} BETWEEN 1 AND 5)`,
    `CHECK (${level} BETWEEN 1 AND 4)`,
    "CHECK (success IN (0, 1))",
    "CHECK (response_time_ms >= 0)",
    "CHECK (user_id <> '')",
  ],
});
