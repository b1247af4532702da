import { join } from "node:path";
import { expect, test } from "vitest";
import { downgradeMigration, verifyMigration } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { freshFolder } from "../support/folder.ts";
import { connect, DOCUMENTED_15, FIELD_A, makeDatabase } from "../../../../test/legacy/legacy_database.ts";

const columns = (count: number): string[] => Array.from({ length: count }, (_, index) => `c${index}`);

// SQLite allows 2000 columns, and expressions of a depth of 1000.
test.each([
  ["a table of the user next to field layout A", FIELD_A, `CREATE TABLE wide (${columns(1990).join(", ")})`],
  ["the documented table", DOCUMENTED_15, columns(900).map((name) => `ALTER TABLE interactions ADD COLUMN ${name}`)],
  ["the table of field layout A", FIELD_A, columns(500).map((name) => `ALTER TABLE metrics ADD COLUMN ${name}`)],
])("%s may have hundreds of columns", async (_what, schema, sql) => {
  const path = join(freshFolder(), "metrics.db");
  makeDatabase(path, schema);
  const database = connect(path);
  for (const statement of [sql].flat()) database.exec(statement);
  const table = schema === FIELD_A ? "metrics" : "interactions";
  database.exec(`INSERT INTO ${table} (user_id, empathy_level, success) VALUES ('u', 1, 1)`);
  if (!Array.isArray(sql)) database.exec("INSERT INTO wide (c1) VALUES (1)");
  database.close();
  expect(await migrate(path)).toMatchObject({ exit_code: 0, databases: [{ status: "migrated" }] });
  expect(await verifyMigration(path)).toMatchObject({ exit_code: 0, databases: [{ status: "verified" }] });
  expect(await downgradeMigration(path)).toMatchObject({ exit_code: 0, databases: [{ status: "downgraded" }] });
  expect(await verifyMigration(path)).toMatchObject({ exit_code: 0 });
});
