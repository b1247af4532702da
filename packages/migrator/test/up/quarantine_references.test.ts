import { join } from "node:path";
import { expect, test } from "vitest";
import { migrate, planMigration } from "../../src/index.ts";
import { freshFolder, stampOf } from "../support/folder.ts";
import { DOCUMENTED_15, FIELD_A, makeDatabase, query } from "../../../../test/legacy/legacy_database.ts";

const children = (table: string, rows: string): string =>
  `INSERT INTO ${table} (id, user_id, empathy_level, success) VALUES (1, 'a', 3, 1), (2, 'b', 9, 1), (3, 'c', 0, 1);
   CREATE TABLE notes (of REFERENCES ${table}, other REFERENCES ${table}(id) ON DELETE CASCADE); INSERT INTO notes VALUES ${rows}`;

test.each([
  ["interactions", DOCUMENTED_15],
  ["metrics", FIELD_A],
])("the plan counts references to rows of %s to be quarantined, and refuses like up", async (table, schema) => {
  const path = join(freshFolder(), "m.db");
  makeDatabase(path, schema, children(table, "(1, 2), (1, '3'), (NULL, NULL), (1, 1)"));
  const before = stampOf(join(path, ".."));
  for (const command of [planMigration, migrate]) {
    expect(await command(path, { invalidRows: "quarantine" })).toMatchObject({
      exit_code: 3,
      databases: [
        {
          status: "refused",
          reason: expect.stringContaining("2 rows of your table notes refer to rows that would be moved to quarantine"),
        },
      ],
    });
    expect(stampOf(join(path, ".."))).toBe(before);
  }
});

test("accepts references to other rows, and metadata of the quarantined rows", async () => {
  const path = join(freshFolder(), "m.db");
  makeDatabase(
    path,
    DOCUMENTED_15,
    children("interactions", "(1, 1)"),
    `CREATE TABLE interaction_metadata (interaction_id INTEGER PRIMARY KEY REFERENCES interactions(id) ON DELETE CASCADE, metadata TEXT NOT NULL);
     INSERT INTO interaction_metadata VALUES (1, 'kept'), (2, 'aside')`,
  );
  const options = { invalidRows: "quarantine" } as const;
  expect(await planMigration(path, options)).toMatchObject({ exit_code: 0 });
  expect(await migrate(path, options)).toMatchObject({ exit_code: 0 });
  expect(query(path, "SELECT * FROM interaction_metadata")).toEqual([[1n, "kept"]]);
});

test("accepts a self-reference that was already broken", async () => {
  const path = join(freshFolder(), "m.db");
  makeDatabase(
    path,
    FIELD_A.replace("metadata TEXT", "metadata TEXT, parent INTEGER REFERENCES metrics(id)"),
    "PRAGMA foreign_keys = OFF; INSERT INTO metrics (user_id, empathy_level, success, parent) VALUES ('a', 3, 1, 77)",
  );
  expect(await migrate(path)).toMatchObject({ exit_code: 0, databases: [{ status: "migrated" }] });
});
