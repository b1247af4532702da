import type { DatabaseRecipe } from "./make_database.ts";

/** Name of the level in a line (section 9). */
type LevelColumn = "empathy_level" | "level";

const table = (level: LevelColumn): string =>
  `CREATE TABLE interactions (id INTEGER PRIMARY KEY AUTOINCREMENT, user_id TEXT NOT NULL, ${level} INTEGER NOT NULL,
    success BOOLEAN NOT NULL, response_time_ms REAL, timestamp TIMESTAMP DEFAULT CURRENT_TIMESTAMP)`;
const INDEXES = [
  "CREATE INDEX idx_interactions_user ON interactions(user_id)",
  "CREATE INDEX idx_interactions_timestamp ON interactions(timestamp)",
];
/** The same table in another spelling, without indexes. */
const otherWords = (level: LevelColumn): string =>
  `create table "interactions" ("timestamp" datetime default (datetime('now')), response_time_ms numeric, success
    tinyint not null check (success in (0, 1)), [${level}] smallint not null check (${level} between 1 and 5), user_id
    varchar(255) not null, id integer not null primary key)`;
const ROWS = [
  "'alice', 3, 1, 120.5, '2025-06-01 12:00:00'",
  "'alice', 4, 0, 80, '2025-06-01 12:01:00'",
  "'alice', 4, 1, 60.0, '2025-06-01 12:02:00'",
  "'alice', 4, 1, 40, '2025-06-01 12:03:00'",
  "'bob', 1, 0, 0, '2025-06-01 12:04:00'",
  "'Zoë 美咲', 5, 1, 0, '2025-06-01 12:05:00'",
];
const insert = (level: LevelColumn, rows: readonly string[]): string =>
  `INSERT INTO interactions (user_id, ${level}, success, response_time_ms, timestamp) VALUES (${rows.join("), (")})`;
const OBJECTS = [
  "CREATE TABLE sessions (id INTEGER PRIMARY KEY, user_id TEXT, notes TEXT)",
  "INSERT INTO sessions (user_id, notes) VALUES ('alice', 'keep me')",
  "CREATE VIEW failures AS SELECT user_id, timestamp FROM interactions WHERE NOT success",
  "CREATE INDEX by_success ON interactions(success, user_id)",
];

const databases = (line: 15 | 16, level: LevelColumn): Record<string, DatabaseRecipe> => {
  const documented = [table(level), ...INDEXES];
  return {
    [`metrics-${line}-other-ddl.db`]: { statements: [otherWords(level), insert(level, ROWS)] },
    [`metrics-${line}-wal.db`]: {
      statements: [...documented, insert(level, ROWS.slice(0, 2))],
      inLog: [insert(level, ROWS.slice(2))],
    },
    [`metrics-${line}-page-512.db`]: { statements: [...documented, insert(level, ROWS)], pageSize: 512 },
    [`metrics-${line}-extra-objects.db`]: { statements: [...documented, insert(level, ROWS), ...OBJECTS] },
  };
};

/** Metrics databases of both lines that none of our programs wrote. All have the same rows. */
export const HAND_METRICS: Readonly<Record<string, DatabaseRecipe>> = {
  ...databases(15, "empathy_level"),
  ...databases(16, "level"),
};
