import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { planMigration, downgradeMigration } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { ALL_TABLES, useLayout } from "../layouts/layout_suite.ts";
import { fill, optionsFor } from "../layouts/old_table.ts";
import { freshFolder } from "../support/folder.ts";
import { addRows, DOCUMENTED_15, makeDatabase, query } from "../../../../test/legacy/legacy_database.ts";
import { LEGACY_NAMES, layOutLegacy } from "../../../../test/legacy/legacy_fixtures.ts";

// With the statistics of ANALYZE the planner chooses a slower plan for the statistics of all users.

const NUMBERS = "SELECT name FROM sqlite_schema WHERE name LIKE 'sqlite_stat%'";

test.each(["field-a", "field-b", "documented-15-one", "both-a-15", "combined-a"])(
  "%s has no planner statistics after a migration",
  async (name) => {
    const path = layOutLegacy(name, freshFolder());
    expect((await migrate(path, { missingLevel: 3, nonFinite: "null" })).exit_code).toBe(0);
    expect(query(path, NUMBERS)).toEqual([]);
    expect((await downgradeMigration(path)).exit_code).toBe(0);
    expect(query(path, NUMBERS)).toEqual([]);
  },
);

test("keeps planner statistics that the user made", async () => {
  const path = join(freshFolder(), "m.db");
  makeDatabase(path, DOCUMENTED_15);
  addRows(path, "interactions", 50);
  makeDatabase(path, "ANALYZE");
  const numbers = (): unknown => query(path, "SELECT idx, stat FROM sqlite_stat1 ORDER BY 1, 2");
  const before = numbers();
  expect((await migrate(path)).exit_code).toBe(0);
  expect(numbers()).toEqual(before);
});

// Copying a row into a table with indexes writes to each of them, in random order.
describe("indexes are built after all rows are moved", () => {
  const MOVES = /^(?:move|copy|merge|give each row|drop the column|add the column)/;

  test("in every plan", async () => {
    const folder = freshFolder();
    const paths = LEGACY_NAMES.map((name) => layOutLegacy(name, folder));
    const { databases } = await planMigration(paths, { missingLevel: 3, invalidRows: "quarantine" });
    const plans = databases.filter(({ steps }) => steps.some((step) => step.startsWith("build the index")));
    expect(plans.length).toBeGreaterThan(40);
    for (const { path, steps } of plans) {
      const first = steps.findIndex((step) => step.startsWith("build the index"));
      expect(
        steps.slice(first).filter((step) => MOVES.test(step)),
        path,
      ).toEqual([]);
    }
  });

  const indexed = ALL_TABLES.filter(
    ({ layout, names }) => layout.programs !== undefined && names.metadata !== undefined,
  );

  test.each(indexed)("and old indexes of $table are dropped before", async (old) => {
    useLayout(old);
    const path = join(freshFolder(), "m.db");
    makeDatabase(path, old.create);
    fill(path, old, 100);
    const [plan] = (await planMigration(path, optionsFor(old))).databases;
    const [dropped, moved, built] = ["drop the index", "move the metadata", "build the index"].map((words) =>
      plan?.steps.findIndex((step) => step.startsWith(words)),
    );
    expect(dropped).toBeGreaterThanOrEqual(0);
    expect(dropped).toBeLessThan(moved ?? -1);
    expect(moved).toBeLessThan(built ?? -1);
  });
});
