import { join } from "node:path";
import { expect, test } from "vitest";
import { planMigration, verifyMigration } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { freshFolder } from "../support/folder.ts";
import { addRows, DOCUMENTED_15, FIELD_A, makeDatabase, query } from "../../../../test/legacy/legacy_database.ts";

const INDEXES = "SELECT name FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL ORDER BY name";
const BUILT = [["idx_interactions_timestamp"], ["idx_interactions_user"]];

test("a later up builds an index that was dropped since", async () => {
  const path = join(freshFolder(), "m.db");
  makeDatabase(path, FIELD_A, "CREATE INDEX mine ON metrics(success)");
  addRows(path, "metrics", 20);
  expect(await migrate(path)).toMatchObject({ exit_code: 0, databases: [{ status: "migrated", notes: [] }] });
  makeDatabase(path, "DROP INDEX idx_interactions_user");
  expect((await planMigration(path)).databases[0]?.steps).toEqual(
    expect.arrayContaining(["build the index idx_interactions_user"]),
  );
  expect(await migrate(path)).toMatchObject({ exit_code: 0, databases: [{ status: "migrated", notes: [] }] });
  expect(query(path, INDEXES)).toEqual([...BUILT, ["mine"]]);
  expect(await migrate(path)).toMatchObject({ databases: [{ status: "nothing_to_do" }] });
  expect((await verifyMigration(path)).exit_code).toBe(0);
});

test("does not treat an index of the user with such a name as one of the pre-16 layout", async () => {
  const path = join(freshFolder(), "m.db");
  makeDatabase(path, DOCUMENTED_15, "CREATE INDEX idx_timestamp ON interactions(timestamp)");
  makeDatabase(path, "DROP INDEX idx_interactions_user");
  expect(await migrate(path)).toMatchObject({ exit_code: 0, databases: [{ status: "migrated" }] });
  expect(query(path, INDEXES)).toEqual([...BUILT, ["idx_timestamp"]]);
});
