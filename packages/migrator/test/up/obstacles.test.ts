import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { planMigration } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { freshFolder, stampOf } from "../support/folder.ts";
import { DOCUMENTED_15, FIELD_A, makeDatabase } from "../../../../test/legacy/legacy_database.ts";
import { schemaErrors } from "../support/report_schema.ts";

/** A documented table with the key `key`. */
const keyed = (key: string, primary: string): string =>
  `CREATE TABLE interactions (${key}, user_id TEXT, empathy_level INTEGER, success BOOLEAN, response_time_ms REAL, timestamp TIMESTAMP${primary})`;

describe("the plan names what the change could not prove, or would damage", () => {
  test.each([
    [
      "a key of two columns",
      [keyed("id INTEGER", ", PRIMARY KEY (id, user_id)"), "INSERT INTO interactions VALUES (NULL, 'a', 9, 1, 1, '')"],
      "is not the row id",
    ],
    ["a key in descending order", [keyed("id INTEGER PRIMARY KEY DESC", "")], "is not the row id"],
    [
      "a side table with other columns",
      [DOCUMENTED_15, "CREATE TABLE interaction_metadata (x)"],
      "interaction_metadata",
    ],
    [
      "a side table with an additional column",
      [
        DOCUMENTED_15,
        "CREATE TABLE interaction_metadata (interaction_id INTEGER PRIMARY KEY, metadata TEXT NOT NULL, mine)",
      ],
      "interaction_metadata",
    ],
    [
      "a table that hides its row ids",
      [DOCUMENTED_15, "CREATE TABLE hidden (rowid TEXT, _rowid_ TEXT, oid TEXT); INSERT INTO hidden VALUES (1, 2, 3)"],
      "hidden",
    ],
    [
      "a counter without a table",
      [FIELD_A, "INSERT INTO sqlite_sequence VALUES ('interactions', 7)"],
      "sqlite_sequence",
    ],
    [
      "a metadata column that holds a number",
      [
        FIELD_A.replace("metadata TEXT", "metadata JSON"),
        "INSERT INTO metrics (user_id, empathy_level, success, metadata) VALUES ('a', 1, 1, 5)",
      ],
      "--invalid-rows quarantine",
    ],
    [
      "an index of a needed name over another column",
      [FIELD_A, "CREATE INDEX idx_interactions_user ON metrics(success)"],
      "idx_interactions_user",
    ],
    [
      "a partial index of a needed name",
      [
        DOCUMENTED_15,
        "DROP INDEX idx_interactions_user; CREATE INDEX idx_interactions_user ON interactions(user_id) WHERE success",
      ],
      "idx_interactions_user",
    ],
    [
      "a quarantine table of the user",
      [DOCUMENTED_15, "CREATE TABLE Perdura_Quarantine (id TEXT, mine)"],
      "Perdura_Quarantine",
      "INSERT INTO interactions (user_id, empathy_level, success) VALUES ('a', 9, 1)",
    ],
    [
      "a last row to be quarantined in a table that reuses ids",
      [
        DOCUMENTED_15.replace(" AUTOINCREMENT", "").replace("user_id TEXT", "user_id /* AUTOINCREMENT */ TEXT"),
        "INSERT INTO interactions (user_id, empathy_level, success) VALUES ('a', 1, 1), ('a', 9, 1)",
      ],
      "AUTOINCREMENT",
      "SELECT 1",
    ],
  ])("%s", async (_what, statements, words, quarantined?: string) => {
    const folder = freshFolder();
    const path = join(folder, "m.db");
    makeDatabase(path, ...statements, quarantined ?? "SELECT 1");
    const before = stampOf(folder);
    for (const command of [planMigration, migrate]) {
      const report = await command(path, quarantined === undefined ? {} : { invalidRows: "quarantine" });
      expect(schemaErrors(report)).toEqual([]);
      expect(report).toMatchObject({
        exit_code: 3,
        databases: [{ status: "refused", reason: expect.stringContaining(words) }],
      });
      expect(stampOf(folder)).toBe(before);
    }
  });
});
