import { join } from "node:path";
import { expect, test } from "vitest";
import { migrate, planMigration, verifyMigration } from "../../src/index.ts";
import { freshFolder } from "../support/folder.ts";
import { addRows, DOCUMENTED_15, FIELD_A, makeDatabase, query } from "../support/legacy_database.ts";

const INDEXES = "SELECT name FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL ORDER BY name";
const BUILT = [["idx_interactions_timestamp"], ["idx_interactions_user"]];

test("a later run builds deferred indexes and drops those of the pre-16 layout", async () => {
  const path = join(freshFolder(), "m.db");
  makeDatabase(path, FIELD_A, "CREATE INDEX mine ON metrics(success)");
  addRows(path, "metrics", 20);
  const first = await migrate(path, { deferIndexes: true });
  expect(first).toMatchObject({
    exit_code: 0,
    databases: [
      {
        status: "migrated",
        notes: [
          expect.stringMatching(
            /not built because of --defer-indexes.*idx_interactions_user.*idx_user_level, idx_timestamp/,
          ),
        ],
      },
    ],
  });
  expect(query(path, INDEXES)).toEqual([["idx_timestamp"], ["idx_user_level"], ["mine"]]);
  const plan = query<[bigint, bigint, bigint, string]>(
    path,
    "EXPLAIN QUERY PLAN SELECT * FROM interactions WHERE user_id = 'u1'",
  );
  expect(plan[0]?.[3]).toContain("idx_user_level");
  expect(await migrate(path, { deferIndexes: true })).toMatchObject({ databases: [{ status: "nothing_to_do" }] });
  expect((await planMigration(path)).databases[0]?.steps).toEqual(
    expect.arrayContaining([
      "drop the index idx_user_level of the pre-16 layout",
      "build the index idx_interactions_user",
    ]),
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
  expect(await migrate(path, { deferIndexes: true })).toMatchObject({ exit_code: 0 });
  expect(await migrate(path)).toMatchObject({ exit_code: 0, databases: [{ status: "migrated" }] });
  expect(query(path, INDEXES)).toEqual([...BUILT, ["idx_timestamp"]]);
});
