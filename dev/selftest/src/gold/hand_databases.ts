import type { DatabaseRecipe } from "./make_database.ts";

/** Rows of nearly all handmade libraries; the columns are named, so that they fit any of the tables. */
const PATTERNS = [
  `INSERT INTO patterns (id, agent_id, pattern_type, name, description, context, code, confidence, usage_count,
    success_count, failure_count, tags, discovered_at, last_used) VALUES ('p1', 'agent-1', 'sequential', 'Retry once',
    'Tries a failed call once more', '{"tool": "search", "limits": {"attempts": 2, "pause_s": 0.5}, "hosts": ["a", "b"]}',
    'return call() or call()', 0.85, 12, 10, 2, '["retry", "network"]', '2025-03-01T08:30:00', '2025-04-02T17:05:59')`,
  "INSERT INTO patterns (id, agent_id, pattern_type, name) VALUES ('m1', 'agent-2', 'temporal', 'Bare')",
];
/** The library of `text.json`, as a row. */
const TEXT = `INSERT INTO patterns (id, agent_id, pattern_type, name, description, context, code, tags) VALUES ('t1',
  'agent-2', 'temporal', 'Grüße, 日本語, 👩‍💻',
  'a "quoted" word,' || char(9) || 'a tab,' || char(13, 10) || 'two lines and a \\ backslash',
  '{"é": "e\\u0301", "😀": [true, null]}', 'if a < b: return ''/''', '["na\\u00efve", "  blanks  ", ""]')`;
const MICROSECONDS =
  "UPDATE patterns SET discovered_at = '2025-03-01T08:30:00.123456', last_used = '2025-04-02T17:05:59.000001'";

/** The tables of sections 2.1 and 2.2, in the spelling of most programs. */
const TABLES = [
  `CREATE TABLE patterns (id TEXT PRIMARY KEY, agent_id TEXT NOT NULL, pattern_type TEXT NOT NULL, name TEXT NOT NULL,
    description TEXT, context TEXT, code TEXT, confidence REAL DEFAULT 0.5, usage_count INTEGER DEFAULT 0,
    success_count INTEGER DEFAULT 0, failure_count INTEGER DEFAULT 0, tags TEXT, discovered_at TIMESTAMP,
    last_used TIMESTAMP, updated_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP)`,
  `CREATE TABLE pattern_usage (id INTEGER PRIMARY KEY AUTOINCREMENT, pattern_id TEXT NOT NULL, agent_id TEXT NOT NULL,
    success BOOLEAN NOT NULL, used_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP,
    FOREIGN KEY (pattern_id) REFERENCES patterns(id))`,
];
const INDEXES = [
  "agent ON patterns(agent_id)",
  "type ON patterns(pattern_type)",
  "confidence ON patterns(confidence)",
].map((index) => `CREATE INDEX idx_patterns_${index}`);
/** The same tables, in as many other spellings as SQLite accepts. */
const OTHER_WORDS = [
  `create table "patterns" (
    [name] varchar(200) not null check (length(name) > 0), -- what people call it
    \`pattern_type\` character varying(40) not null, "agent_id" nvarchar(64) not null, tags clob, context clob,
    description clob, code clob, updated_at datetime default (datetime('now')), last_used datetime, discovered_at datetime,
    failure_count bigint default '0', success_count bigint default '0', usage_count int default +0,
    confidence double precision default (1.0 / 2), id varchar(64) not null, constraint pk primary key (id))`,
  `create table if not exists 'pattern_usage' (used_at datetime default (datetime('now')), success boolean not null,
    agent_id varchar(64) not null, pattern_id varchar(64) not null references "patterns" on update cascade, id integer
    not null primary key)`,
  "create index idx_patterns_agent on patterns (agent_id collate binary asc)",
  "create index idx_patterns_type on patterns (pattern_type)",
  "create index idx_patterns_confidence on patterns (confidence desc)",
];
const NOTES = [
  "CREATE TABLE notes (pattern_id TEXT REFERENCES patterns(id), text TEXT)",
  "CREATE VIEW often_used AS SELECT id, usage_count FROM patterns WHERE usage_count > 5",
  "CREATE INDEX by_name ON patterns(name, last_used)",
  "INSERT INTO notes VALUES ('p1', 'keep me')",
];

/** Pattern databases that none of our programs wrote. */
export const HAND_LIBRARIES: Readonly<Record<string, DatabaseRecipe>> = {
  "library-other-ddl.db": { statements: [...OTHER_WORDS, ...PATTERNS] },
  "library-no-indexes.db": { statements: [...TABLES, ...PATTERNS] },
  "library-wal.db": { statements: [...TABLES, ...INDEXES], inLog: PATTERNS },
  "library-page-512.db": { statements: [...TABLES, ...INDEXES, ...PATTERNS], pageSize: 512 },
  "library-extra-objects.db": { statements: [...TABLES, ...INDEXES, ...PATTERNS, ...NOTES] },
  "library-utf-16.db": { statements: [...TABLES, ...INDEXES, ...PATTERNS], encoding: "UTF-16be" },
  "library-microseconds.db": { statements: [...TABLES, ...PATTERNS.slice(0, 1), MICROSECONDS] },
  "library-text.db": { statements: [...TABLES, ...INDEXES, TEXT] },
};
