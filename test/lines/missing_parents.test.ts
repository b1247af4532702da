import { join } from "node:path";
import * as v15 from "@perdura/v15";
import * as v16 from "@perdura/v16";
import Database from "better-sqlite3";
import { describe, expect, test } from "vitest";
import { freshFolder } from "../fresh_folder.ts";

/** A reference of a table that an old SQLite changed when its parent was renamed. */
function breakReference(path: string, table: string, parent: string): void {
  const database = new Database(path);
  database.unsafeMode(true);
  database.pragma("writable_schema = ON");
  database
    .prepare("UPDATE sqlite_schema SET sql = replace(sql, 'REFERENCES ' || ?, 'REFERENCES ' || ?) WHERE name = ?")
    .run(parent, `"${parent}_old"`, table);
  database.close();
}

/** The error that names the reference, and the way out. */
const refused = (column: string, table: string, parent: string): unknown =>
  expect.objectContaining({
    code: "PERDURA_CORRUPT_DATA",
    message: expect.stringContaining(
      `the column ${column} of the table ${table} REFERENCES a table ${parent}, which does not exist. No stored data was changed. Correct the definition of the table, or use perdura-migrate up --broken-references repair`,
    ),
  });

describe.each([
  ["pre-16", v15],
  ["16", v16],
])("a reference to a table that does not exist, in %s", (_name, line) => {
  const { PatternLibrary, PatternPersistence, MetricsCollector } = line as typeof v16;

  test("is named if a library with usage cannot be saved, which stays queued", () => {
    const path = join(freshFolder(), "patterns.db");
    const library = new PatternLibrary();
    library.contribute("agent", { id: "p", pattern_type: "t", name: "n" });
    PatternPersistence.saveToSqlite(library, path);
    breakReference(path, "pattern_usage", "patterns");
    library.recordUsage("p", "agent", true);
    expect(() => PatternPersistence.saveToSqlite(library, path)).toThrow(
      refused("pattern_id", "pattern_usage", "patterns_old") as Error,
    );
    expect(library.pendingUsage.length).toBe(1);
  });

  test("is named if a database of metrics cannot be opened", () => {
    const path = join(freshFolder(), "metrics.db");
    new MetricsCollector(path).close();
    breakReference(path, "interaction_metadata", "interactions");
    expect(() => new MetricsCollector(path)).toThrow(
      refused("interaction_id", "interaction_metadata", "interactions_old") as Error,
    );
  });
});
