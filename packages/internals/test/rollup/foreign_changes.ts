import fc from "fast-check";
import { LARGEST_COST } from "./compare.ts";

/** SQL literals of users in other programs: numbers become text, blobs and invalid text are kept. */
const USER = fc.constantFrom("'a'", "'b'", "'c'", "'ä'", "'A'", "5", "x'61'", "x'ff'", "CAST(x'ff' AS TEXT)", "''");

const ID = fc.oneof(
  { weight: 12, arbitrary: fc.integer({ min: 1, max: 14 }).map(String) },
  fc.integer({ min: -5, max: 0 }).map(String),
  fc.constantFrom("-9223372036854775808", "-9223372036854775807", "-1", "9007199254740993", "100000"),
);
const HUGE_ID = fc.constantFrom("9223372036854775806", "9223372036854775807");

const LEVEL = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: 1, max: 5 }).map(String) },
  fc.constantFrom("0", "6", "2.5", "3.0", "'4'", "'high'", "x'33'", "NULL"),
);
const SUCCESS = fc.constantFrom("0", "1", "TRUE", "'yes'", "'1'", "NULL", "2", "0.5");
const TIME = fc.oneof(
  { weight: 4, arbitrary: fc.double({ min: 0, max: 1e6, noNaN: true }).map(String) },
  fc.constantFrom(
    "NULL",
    "'fast'",
    "9e999",
    "-9e999",
    "1e308",
    "-1e308",
    "-0.25",
    "1e16",
    "x'00'",
    "7",
    "-9223372036854775808",
  ),
);
const TIMESTAMP = fc.constantFrom(
  "CURRENT_TIMESTAMP",
  "'2024-01-01 00:00:00'",
  "'2025-06-01T10:00:00.123456'",
  "1700000000",
  "1700000000.5",
  "NULL",
  "x'32303235'",
  "'noon'",
  "'now'",
  "'2024-01-01 23:30:00-02:00'",
  "'2024-01-02 23:40:00'",
  "'2024-01-02T23:59:59.9999'",
  "'2024-02-30'",
  "1704067200000",
  "-9223372036854775808",
  "9e999",
);

const VALUES = fc.tuple(USER, LEVEL, SUCCESS, TIME, TIMESTAMP).map((values) => values.join(", "));
const COLUMNS = "user_id, level, success, response_time_ms, timestamp";
const CONFLICT = fc.constantFrom("", " OR REPLACE", " OR FAIL", " OR IGNORE", " OR ABORT", " OR ROLLBACK");
const WHERE = fc.oneof(
  ID.map((id) => `id = ${id}`),
  ID.map((id) => `id <= ${id}`),
  ID.map((id) => `id >= ${id}`),
  USER.map((user) => `user_id = ${user}`),
  fc.constant("id = (SELECT max(id) FROM interactions)"),
  fc.constant("id = (SELECT watermark FROM perdura_rollup)"),
);

/** Metadata with the keys of `BREAKDOWN_KEYS`, and text of other programs. */
const METADATA = fc.oneof(
  {
    weight: 8,
    arbitrary: fc
      .record(
        {
          tool: fc.constantFrom("search", "Search", "ä\u0000b", "", "\u{1f600}", 1, 1.5, true, null, ["a"], { b: 1 }),
          n: fc.integer({ min: 0, max: 20 }),
          cost: fc.oneof(fc.double({ min: -LARGEST_COST, max: LARGEST_COST, noNaN: true }), fc.constantFrom("2", null)),
        },
        { requiredKeys: [] },
      )
      .map((value) => `'${JSON.stringify(value)}'`),
  },
  fc.constantFrom(
    "'not JSON'",
    "'[1]'",
    "x'ff'",
    `'{"tool": 1.0, "n": 1e400, "cost": 1e999}'`,
    `'{"tool": 9007199254740993}'`,
  ),
);

export const LENIENT_TABLE = `CREATE TABLE interactions (
  id INTEGER PRIMARY KEY AUTOINCREMENT, user_id TEXT NOT NULL, level INTEGER, success BOOLEAN,
  response_time_ms REAL, timestamp TIMESTAMP DEFAULT CURRENT_TIMESTAMP)`;

const SAVED = "CREATE TEMP TABLE saved AS SELECT * FROM main.interactions";
const PUT_BACK = `INSERT INTO main.interactions SELECT * FROM temp.saved; DROP TABLE temp.saved`;

/** Changes of rows that another program makes with plain SQL. */
export const rowChange: fc.Arbitrary<string> = fc.oneof(
  { weight: 6, arbitrary: VALUES.map((values) => `INSERT INTO interactions (${COLUMNS}) VALUES (${values})`) },
  {
    weight: 6,
    arbitrary: fc
      .tuple(CONFLICT, fc.oneof({ weight: 20, arbitrary: ID }, HUGE_ID), VALUES)
      .map(
        ([conflict, id, values]) => `INSERT${conflict} INTO interactions (id, ${COLUMNS}) VALUES (${id}, ${values})`,
      ),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(ID, VALUES, USER)
      .map(
        ([id, values, user]) =>
          `INSERT INTO interactions (id, ${COLUMNS}) VALUES (${id}, ${values}) ON CONFLICT (id) DO UPDATE SET user_id = ${user}`,
      ),
  },
  fc
    .tuple(CONFLICT, fc.integer({ min: -3, max: 3 }))
    .map(
      ([conflict, by]) =>
        `INSERT${conflict} INTO interactions (id, ${COLUMNS}) SELECT id + ${by}, ${COLUMNS} FROM interactions WHERE id < 9000000`,
    ),
  {
    weight: 6,
    arbitrary: fc
      .tuple(
        CONFLICT,
        fc.oneof(
          USER.map((user) => `user_id = ${user}`),
          ID.map((id) => `id = ${id}`),
          fc.constantFrom("id = id + 1", "id = id - 1", "id = -id", "id = id + 20"),
          fc.tuple(ID, USER).map(([id, user]) => `id = ${id}, user_id = ${user}`),
          LEVEL.map((level) => `level = ${level}`),
          SUCCESS.map((success) => `success = ${success}`),
          TIME.map((time) => `response_time_ms = ${time}`),
          TIMESTAMP.map((timestamp) => `timestamp = ${timestamp}`),
          fc.constant("user_id = NULL"),
        ),
        fc.oneof({ weight: 8, arbitrary: WHERE }, fc.constant("1")),
      )
      .map(([conflict, set, where]) => `UPDATE${conflict} interactions SET ${set} WHERE ${where}`),
  },
  { weight: 5, arbitrary: WHERE.map((where) => `DELETE FROM interactions WHERE ${where}`) },
  {
    weight: 8,
    arbitrary: fc
      .tuple(METADATA, WHERE)
      .map(
        ([metadata, where]) =>
          `INSERT OR REPLACE INTO interaction_metadata (interaction_id, metadata) SELECT id, ${metadata} FROM interactions WHERE ${where}`,
      ),
  },
  fc
    .tuple(METADATA, VALUES)
    .map(
      ([metadata, values]) =>
        `INSERT INTO interactions (${COLUMNS}) VALUES (${values}); INSERT INTO interaction_metadata (interaction_id, metadata) VALUES (last_insert_rowid(), ${metadata})`,
    ),
  fc
    .tuple(METADATA, ID)
    .map(([metadata, id]) => `UPDATE interaction_metadata SET metadata = ${metadata} WHERE interaction_id >= ${id}`),
  fc
    .constantFrom("interaction_id = interaction_id + 1", "interaction_id = -interaction_id")
    .map((set) => `UPDATE OR REPLACE interaction_metadata SET ${set}`),
  ID.map((id) => `DELETE FROM interaction_metadata WHERE interaction_id >= ${id}`),
  fc.constant("DELETE FROM interactions"),
  fc.constantFrom("DELETE FROM sqlite_sequence", "UPDATE sqlite_sequence SET seq = 0"),
  fc.constantFrom("PRAGMA recursive_triggers = ON", "PRAGMA recursive_triggers = OFF"),
);

const TRIGGER = fc.constantFrom(
  "perdura_rollup_insert",
  "perdura_rollup_update",
  "perdura_rollup_delete",
  "perdura_rollup_metadata_insert",
  "perdura_rollup_metadata_update",
  "perdura_rollup_metadata_delete",
);

/** Changes of the schema. `@TRIGGERS` and `@TRIGGER name` stand for the SQL of the original triggers. */
export const schemaChange: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    "VACUUM",
    "ANALYZE",
    "DROP INDEX IF EXISTS idx_interactions_user",
    "CREATE INDEX IF NOT EXISTS idx_interactions_user ON interactions(user_id)",
    "ALTER TABLE interactions RENAME COLUMN level TO other; ALTER TABLE interactions RENAME COLUMN other TO level",
    `DROP TABLE interactions; ${LENIENT_TABLE}`,
    `${SAVED}; UPDATE temp.saved SET level = 2, user_id = 'b'; DROP TABLE interactions; ${LENIENT_TABLE}; ${PUT_BACK}; @TRIGGERS`,
    `ALTER TABLE interactions RENAME TO older; ${LENIENT_TABLE}; INSERT INTO interactions SELECT * FROM older WHERE id % 2; DROP TABLE older`,
    `ALTER TABLE interactions RENAME TO older; DROP TABLE IF EXISTS older; ${LENIENT_TABLE}`,
    "CREATE UNIQUE INDEX one_time ON interactions(user_id, timestamp)",
    "DROP INDEX IF EXISTS one_time",
    "DROP TABLE IF EXISTS perdura_user_rollup",
    "DROP TABLE IF EXISTS perdura_stale_users",
    "DROP TABLE IF EXISTS perdura_rollup",
    "DROP TABLE IF EXISTS perdura_days",
    "DROP TABLE IF EXISTS perdura_user_days",
    "DROP TABLE IF EXISTS perdura_summed_keys",
    "DROP TABLE IF EXISTS perdura_user_key_days",
    "DROP TABLE IF EXISTS perdura_declared_keys",
    "DELETE FROM perdura_declared_keys WHERE key = 'n'",
    "INSERT INTO perdura_declared_keys VALUES ('number', 'tokens')",
  ),
  fc.tuple(TRIGGER, rowChange).map(([trigger, change]) => `DROP TRIGGER ${trigger}; ${change}; @TRIGGERS`),
  TRIGGER.map((trigger) => `DROP TRIGGER IF EXISTS ${trigger}`),
);
