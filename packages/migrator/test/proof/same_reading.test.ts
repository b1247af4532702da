import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { hasSameMeaning } from "../../src/database/proof/prove_by_pages.ts";
import { freshFolder } from "../support/folder.ts";
import { addRows, connect, DOCUMENTED_15, makeDatabase } from "../../../../test/legacy/legacy_database.ts";

const METRICS = {
  name: "interactions",
  columns: ["id", "user_id", "empathy_level", "success", "response_time_ms", "timestamp"],
  names: {
    user_id: "user_id",
    level: "empathy_level",
    success: "success",
    response_time_ms: "response_time_ms",
    timestamp: "timestamp",
    metadata: null,
  },
  sideTable: false,
  otherTypes: [],
};

/** True if equal pages still mean equal rows after these statements. */
function stillReadsTheSame(...statements: string[]): boolean {
  const path = join(freshFolder(), "m.db");
  makeDatabase(path, DOCUMENTED_15, "CREATE TABLE t (a INTEGER DEFAULT 1, b TEXT)", "CREATE TABLE u (a, b)");
  addRows(path, "interactions", 3);
  copyFileSync(path, `${path}.copy`);
  const database = connect(path);
  try {
    database.unsafeMode(true);
    for (const statement of statements) database.exec(statement);
    database.prepare("ATTACH ? AS backup").run(`${path}.copy`);
    return hasSameMeaning({ database, before: METRICS, second: null, dropped: [], written: new Set(), later: false });
  } finally {
    database.close();
  }
}

const inSchema = (change: string): string =>
  `PRAGMA writable_schema = ON; UPDATE sqlite_schema SET ${change}; PRAGMA writable_schema = RESET`;

const RENAME = "ALTER TABLE interactions RENAME COLUMN empathy_level TO level";

describe("equal pages are equal rows", () => {
  test.each([
    ["after the level has its new name", []],
    ["with a new table, index and view", ["CREATE TABLE n (x); CREATE INDEX i ON t(a); CREATE VIEW v AS SELECT 1"]],
    ["without a dropped index", ["DROP INDEX idx_interactions_user"]],
  ])("%s", (_what, statements) => {
    expect(stillReadsTheSame(RENAME, ...statements)).toBe(true);
  });
});

describe("equal pages prove nothing", () => {
  test.each([
    ["if the level has its old name", []],
    ["if another column has a new name", [RENAME, "ALTER TABLE t RENAME COLUMN a TO c"]],
    ["if a table has a new name", [RENAME, "ALTER TABLE t RENAME TO c"]],
    ["where a table is gone", [RENAME, "DROP TABLE t"]],
    ["where a table begins at another page", [RENAME, inSchema("rootpage = 5 WHERE name = 't'")]],
    ["where indexes changed places", [RENAME, inSchema("rootpage = 9 - rootpage WHERE name LIKE 'idx%'")]],
    ["where a default is another", [RENAME, inSchema("sql = replace(sql, 'DEFAULT 1', 'DEFAULT 2')")]],
    ["where a type is another", [RENAME, inSchema("sql = replace(sql, 'b TEXT', 'b REAL')")]],
    ["where columns changed places", [RENAME, inSchema("sql = 'CREATE TABLE u (b, a)' WHERE name = 'u'")]],
    ["where there is one column more", [RENAME, "ALTER TABLE t ADD COLUMN c"]],
    ["where a value is computed", [RENAME, inSchema("sql = 'CREATE TABLE u (a, b AS (a))' WHERE name = 'u'")]],
  ])("%s", (_what, statements) => {
    expect(stillReadsTheSame(...statements)).toBe(false);
  });
});
