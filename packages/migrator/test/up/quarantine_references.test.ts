import { join } from "node:path";
import { expect, test } from "vitest";
import { planMigration } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { hasLevels, layoutSuite } from "../layouts/layout_suite.ts";
import { spelled } from "../layouts/old_table.ts";
import { freshFolder, stampOf } from "../support/folder.ts";
import { schemaErrors } from "../support/report_schema.ts";
import {
  DOCUMENTED_15,
  FIELD_A,
  FIELD_PATTERNS,
  makeDatabase,
  query,
} from "../../../../test/legacy/legacy_database.ts";

const children = (table: string, rows: string): string =>
  `INSERT INTO ${table} (id, user_id, empathy_level, success) VALUES (1, 'a', 3, 1), (2, 'b', 9, 1), (3, 'c', 0, 1);
   CREATE TABLE notes (of REFERENCES ${table}, other REFERENCES ${table}(id) ON DELETE CASCADE); INSERT INTO notes VALUES ${rows}`;

layoutSuite(
  (old) =>
    test("the plan counts references to rows to be quarantined, and refuses like up", async () => {
      const path = join(freshFolder(), "m.db");
      makeDatabase(path, old.create, spelled(old, children("metrics", "(1, 2), (1, '3'), (NULL, NULL), (1, 1)")));
      const before = stampOf(join(path, ".."));
      for (const command of [planMigration, migrate]) {
        expect(await command(path, { invalidRows: "quarantine" })).toMatchObject({
          exit_code: 3,
          databases: [
            {
              status: "refused",
              reason: expect.stringContaining(
                "2 rows of your table notes refer to rows that would be moved to quarantine",
              ),
            },
          ],
        });
        expect(stampOf(join(path, ".."))).toBe(before);
      }
    }),
  hasLevels,
);

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

layoutSuite(
  (old) =>
    test("the plan does not offer quarantine for rows that cannot leave, and shows them", async () => {
      const path = join(freshFolder(), "m.db");
      makeDatabase(path, old.create, spelled(old, children("metrics", "(1, 2), (2, 1)")));
      const report = await planMigration(path);
      expect(schemaErrors(report)).toEqual([]);
      expect(report).toMatchObject({ exit_code: 3, databases: [{ status: "refused", decisions: [] }] });
      const reason = report.databases[0]?.reason ?? "";
      expect(reason).not.toContain("--invalid-rows");
      expect(reason).toContain("2 rows of your table notes refer");
      const statements = [...reason.matchAll(/(?:SELECT|UPDATE) [^;]*;/g)].map(([statement]) => statement);
      expect(query(path, statements[0] as string).map((row) => (row as unknown[])[0])).toEqual([2n]);
      makeDatabase(path, ...statements.slice(1));
      expect(await planMigration(path)).toMatchObject({ exit_code: 3, databases: [{ decisions: ["quarantine"] }] });
      expect(await migrate(path, { invalidRows: "quarantine" })).toMatchObject({ exit_code: 0 });
    }),
  hasLevels,
);

test("shows how to remove a reference that may not be NULL", async () => {
  const path = join(freshFolder(), "m.db");
  makeDatabase(
    path,
    DOCUMENTED_15,
    "INSERT INTO interactions (id, user_id, empathy_level, success) VALUES (7, 'b', 9, 1), (8, 'b', 2, 1); CREATE TABLE notes (of NOT NULL REFERENCES interactions); INSERT INTO notes VALUES (7)",
  );
  const report = await planMigration(path);
  expect(report).toMatchObject({
    databases: [{ reason: expect.stringContaining('DELETE FROM "notes" WHERE "of" IN (7);'), decisions: [] }],
  });
});

test.each([20, 21])("its statements concern each of %i rows that others refer to", async (count) => {
  const path = join(freshFolder(), "m.db");
  makeDatabase(
    path,
    DOCUMENTED_15,
    `WITH RECURSIVE ids (id) AS (VALUES (1) UNION ALL SELECT id + 1 FROM ids WHERE id < ${count})
     INSERT INTO interactions (id, user_id, empathy_level, success) SELECT id, 'b', 9, 1 FROM ids;
     CREATE TABLE notes (of NOT NULL REFERENCES interactions); INSERT INTO notes SELECT id FROM interactions`,
  );
  const reason = (await planMigration(path)).databases[0]?.reason ?? "";
  const [show = "", remove = ""] = [...reason.matchAll(/(?:SELECT|DELETE) [^;]*;/g)].map(([statement]) => statement);
  expect(query(path, show)).toHaveLength(count);
  makeDatabase(path, remove);
  expect(query(path, "SELECT * FROM notes")).toEqual([]);
});

test.each([
  [
    "a quarantine table of the user",
    [DOCUMENTED_15, "CREATE TABLE perdura_quarantine (id TEXT, mine)"],
    "perdura_quarantine already exists",
  ],
  ["a last row in a table that reuses ids", [DOCUMENTED_15.replace(" AUTOINCREMENT", "")], "has no AUTOINCREMENT"],
  [
    "an obstacle that does not concern the rows",
    [DOCUMENTED_15, "CREATE TABLE interaction_metadata (x)"],
    "interaction_metadata",
  ],
  [
    "a view that the change would break",
    [
      DOCUMENTED_15,
      'CREATE TRIGGER t AFTER INSERT ON interactions BEGIN SELECT (SELECT empathy_level FROM (SELECT * FROM interactions AS i)); END; CREATE VIEW v AS SELECT "x".empathy_level FROM (SELECT * FROM interactions) AS x',
    ],
    "",
  ],
])("recommends no command that would stop again: %s", async (_what, statements, words) => {
  const path = join(freshFolder(), "m.db");
  makeDatabase(path, ...statements, "INSERT INTO interactions (user_id, empathy_level, success) VALUES ('a', 9, 1)");
  const plan = await planMigration(path);
  const done = await migrate(path, { invalidRows: "quarantine" });
  expect(plan.exit_code).toBe(3);
  expect(plan.databases[0]?.decisions).toEqual(done.exit_code === 0 ? ["quarantine"] : []);
  if (done.exit_code !== 0) expect(plan.databases[0]?.reason).toContain(words);
});

test("does not offer quarantine for a pattern that a table of the user refers to, but its repair", async () => {
  const path = join(freshFolder(), "p.db");
  makeDatabase(
    path,
    FIELD_PATTERNS,
    "INSERT INTO patterns (id, agent_id, pattern_type, name, context) VALUES ('p', 'a', 't', 'n', '{\"x\": NaN}'), ('q', 'a', 't', 'n', NULL); CREATE TABLE notes (of REFERENCES patterns(id)); INSERT INTO notes VALUES ('p')",
  );
  expect(await planMigration(path)).toMatchObject({ exit_code: 3, databases: [{ decisions: ["repair"] }] });
  makeDatabase(path, "UPDATE patterns SET tags = 'no JSON' WHERE id = 'p'");
  expect(await planMigration(path)).toMatchObject({
    exit_code: 3,
    databases: [{ decisions: [], reason: expect.stringContaining('SELECT * FROM "patterns" WHERE "id" IN (\'p\')') }],
  });
});
