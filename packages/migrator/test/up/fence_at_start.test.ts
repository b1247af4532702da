import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { downgradeMigration } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { freshFolder } from "../support/folder.ts";
import {
  addRows,
  connect,
  type Connection,
  FIELD_A,
  FIELD_B,
  makeDatabase,
  query,
} from "../../../../test/legacy/legacy_database.ts";

const WITHOUT_LEVELS =
  "id INTEGER PRIMARY KEY AUTOINCREMENT, user_id TEXT NOT NULL, success BOOLEAN NOT NULL, response_time_ms REAL, timestamp TIMESTAMP DEFAULT CURRENT_TIMESTAMP, metadata TEXT";
const COMMON = "id, user_id, success, response_time_ms, timestamp, metadata";

/** Start of a program up to 14.x: one statement at a time, as Python's driver commits each. */
function start14(database: Connection): void {
  for (const statement of FIELD_A.split(";")) if (statement.trim() !== "") database.exec(statement);
}

/** Start of a program of 15.0.0 or later: it drops the column of the levels, or rebuilds the table without it. */
function start15(database: Connection, create: string, canDrop: boolean): void {
  database.exec(`CREATE TABLE IF NOT EXISTS metrics (${WITHOUT_LEVELS})`);
  const columns = database.prepare("PRAGMA table_info(metrics)").all() as { name: string }[];
  if (columns.some(({ name }) => name === "empathy_level")) {
    database.exec("DROP INDEX IF EXISTS idx_user_level");
    if (!(canDrop && dropsColumn(database)))
      for (const statement of [
        `${create} metrics_new (${WITHOUT_LEVELS})`,
        `INSERT INTO metrics_new (${COMMON}) SELECT ${COMMON} FROM metrics`,
        "DROP TABLE metrics",
        "ALTER TABLE metrics_new RENAME TO metrics",
      ])
        database.exec(statement);
  }
  database.exec("CREATE INDEX IF NOT EXISTS idx_user ON metrics(user_id)");
  database.exec("CREATE INDEX IF NOT EXISTS idx_timestamp ON metrics(timestamp)");
}

function dropsColumn(database: Connection): boolean {
  try {
    database.exec("ALTER TABLE metrics DROP COLUMN empathy_level");
    return true;
  } catch {
    return false;
  }
}

const PROGRAMS: [name: string, start: (database: Connection) => void, message: RegExp][] = [
  ["up to 14.x", start14, /views may not be indexed/],
  ["of 15.0.0 or later", (database) => start15(database, "CREATE TABLE", true), /metrics_new already exists/],
  [
    "of 15.0.0 or later, on an older SQLite",
    (database) => start15(database, "CREATE TABLE", false),
    /metrics_new already exists/,
  ],
  [
    "of 15.0.0 or later that reuses its table",
    (database) => start15(database, "CREATE TABLE IF NOT EXISTS", false),
    /which no version of the program that wrote it can use\. Nothing was written\. .*perdura-migrate down to restore the table/,
  ],
];

const contentOf = (path: string): unknown[] => [
  ...query(path, "SELECT type, name, sql FROM sqlite_schema ORDER BY rowid"),
  ...query(path, "SELECT * FROM interactions ORDER BY id"),
];

describe("on a migrated file", () => {
  describe.each([
    ["A", FIELD_A],
    ["B", FIELD_B],
  ])("of layout %s", (_layout, layout) => {
    test.each(PROGRAMS)("a program %s fails at its start and leaves nothing behind", async (_name, start, message) => {
      const path = join(freshFolder(), "m.db");
      makeDatabase(path, layout);
      if (layout === FIELD_A) addRows(path, "metrics", 5);
      else makeDatabase(path, "INSERT INTO metrics (user_id, success) VALUES ('u', 1)");
      const before = [query(path, "SELECT * FROM metrics"), query(path, "SELECT name, sql FROM sqlite_schema")];
      expect(await migrate(path, { missingLevel: 1 })).toMatchObject({ exit_code: 0 });
      const migrated = contentOf(path);
      const database = connect(path);
      expect(() => start(database)).toThrow(message);
      database.close();
      expect(contentOf(path)).toEqual(migrated);
      expect(await downgradeMigration(path)).toMatchObject({ exit_code: 0 });
      expect([query(path, "SELECT * FROM metrics"), query(path, "SELECT name, sql FROM sqlite_schema")]).toEqual(
        before,
      );
    });
  });
});

test("keeps a table metrics_new of an interrupted upgrade, even if it prevents the fence", async () => {
  const path = join(freshFolder(), "m.db");
  makeDatabase(path, FIELD_A, `CREATE TABLE metrics_new (${WITHOUT_LEVELS})`);
  addRows(path, "metrics", 5);
  expect(await migrate(path)).toMatchObject({ exit_code: 0 });
  expect(query(path, "SELECT type FROM sqlite_schema WHERE name = 'metrics_new'")).toEqual([["table"]]);
});
