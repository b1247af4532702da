import { join } from "node:path";
import { expect, test } from "vitest";
import { readContent, type StoredTable } from "../../../../fixtures/database_content.ts";
import { readMarked } from "../../../../fixtures/expected.ts";
import { layOutMigration } from "../../../../fixtures/lay_out.ts";
import { planMigration, verifyMigration } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { freshFolder, stampOf } from "../support/folder.ts";

interface After {
  databases: Record<string, { tables: Record<string, StoredTable> }>;
  assumed_levels: { level: number; source: string }[];
}

test("takes levels from the states, and from the option for users without one", async () => {
  const folder = freshFolder();
  layOutMigration("levels-from-states", folder);
  const { databases, assumed_levels: assumed } = readMarked("migrations", "levels-from-states", "after.json") as After;
  const before = stampOf(folder);
  expect(await migrate(folder, { missingLevel: "from-state" })).toMatchObject({ exit_code: 3 });
  expect(stampOf(folder)).toBe(before);
  const plan = await planMigration(folder, { missingLevel: "from-state,2" });
  const up = await migrate(folder, { missingLevel: "from-state,2" });
  for (const report of [plan, up]) {
    expect(report.exit_code).toBe(0);
    expect(new Set(report.databases[0]?.assumed_levels)).toEqual(new Set(assumed));
  }
  const { tables } = readContent(join(folder, "metrics.db"));
  for (const [name, { columns, rows }] of Object.entries(databases["metrics.db"]?.tables ?? {}))
    expect(rowsOf(tables[name], columns), name).toEqual(rows);
  expect((await verifyMigration(folder)).exit_code).toBe(0);
});

/** The rows with their columns in another order. */
function rowsOf(table: StoredTable | undefined, columns: readonly string[]): unknown[] | undefined {
  const places = columns.map((name) => table?.columns.indexOf(name) ?? -1);
  return table?.rows.map(({ classes, values }) => ({
    classes: places.map((place) => classes.charAt(place)).join(""),
    values: places.map((place) => values[place]),
  }));
}
