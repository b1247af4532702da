import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { downgradeMigration } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { DOCUMENTED_15 } from "../../src/database/layouts/table_layouts.ts";
import { isMerged, layoutSuite, TABLES_WITH_ALL_COLUMNS, useLayout } from "../layouts/layout_suite.ts";
import { fill, oldTable, type OldTable, optionsFor, spelled } from "../layouts/old_table.ts";
import { freshFolder } from "../support/folder.ts";
import { makeDatabase, query } from "../../../../test/legacy/legacy_database.ts";
import { wholeContent } from "../support/whole_content.ts";

function made(old: OldTable): string {
  const path = join(freshFolder(), "m.db");
  makeDatabase(path, old.create);
  fill(path, old, 12);
  return path;
}

describe.each(TABLES_WITH_ALL_COLUMNS.filter(isMerged))("$table", (old) => {
  const { table } = old;

  test("keeps rows of a table that a pre-16 program created after the migration with the others", async () => {
    useLayout(old);
    const path = made(old);
    const before = wholeContent(path);
    await migrate(path, { fence: "none" });
    makeDatabase(
      path,
      old.create,
      spelled(
        old,
        `INSERT INTO metrics (user_id, empathy_level, success, metadata) VALUES ('late', 2, 1, '{}'), ('late', 9, 1, '{"odd": 1}')`,
      ),
    );
    expect(await migrate(path, { fence: "none", invalidRows: "quarantine" })).toMatchObject({ exit_code: 0 });
    expect(query(path, "SELECT number, layout FROM perdura_migration ORDER BY number")).toEqual([
      [1n, expect.not.stringMatching("both")],
      [2n, "both"],
    ]);
    expect(await downgradeMigration(path)).toMatchObject({ exit_code: 0 });
    const after = wholeContent(path);
    expect(after.objects).toEqual(before.objects);
    expect(after.tables[table]?.rows.slice(0, 12)).toEqual(before.tables[table]?.rows);
    expect(query(path, spelled(old, "SELECT id, user_id, empathy_level, metadata FROM metrics WHERE id > 12"))).toEqual(
      [
        [13n, "late", 2n, "{}"],
        [14n, "late", 9n, '{"odd": 1}'],
      ],
    );
  });

  test.each(["2019-01-01", "2030-01-01"])("restores merged rows of %s with their former ids", async (time) => {
    useLayout(old);
    const path = made(oldTable(DOCUMENTED_15));
    makeDatabase(
      path,
      old.create,
      spelled(
        old,
        `CREATE INDEX my_index ON metrics(metadata); CREATE TRIGGER my_trigger AFTER INSERT ON metrics BEGIN SELECT 1; END;
        INSERT INTO metrics (user_id, empathy_level, success, timestamp, metadata) VALUES ('a', 2, 1, '${time}', '{}'), ('b', 3, 'yes', '${time}', NULL), ('b', 7, 1, '${time}', 'x');
        DELETE FROM metrics WHERE id = 2; INSERT INTO metrics (user_id, empathy_level, success, timestamp) VALUES ('c', 1, 0, '${time}')`,
      ),
    );
    const before = wholeContent(path);
    await migrate(path, { invalidRows: "quarantine" });
    await downgradeMigration(path);
    expect(wholeContent(path)).toEqual(before);
    await migrate(path, { invalidRows: "quarantine" });
    makeDatabase(path, "INSERT INTO interactions (user_id, level, success) VALUES ('new', 5, 1)");
    expect(await downgradeMigration(path)).toMatchObject({ exit_code: 0 });
    expect(wholeContent(path).tables[table]).toEqual(before.tables[table]);
    expect(query(path, "SELECT count(*), max(empathy_level) FROM interactions WHERE user_id = 'new'")).toEqual([
      [1n, 5n],
    ]);
  });
});

layoutSuite((old) => {
  test("drops an index that a later run built again", async () => {
    const path = made(old);
    const before = wholeContent(path);
    await migrate(path, optionsFor(old));
    makeDatabase(path, "DROP INDEX idx_interactions_user");
    await migrate(path, optionsFor(old));
    await downgradeMigration(path);
    expect(wholeContent(path)).toEqual(before);
  });

  test.runIf(old.layout.programs !== undefined).each(["tombstone", "none"] as const)(
    "drops the fence %s",
    async (fence) => {
      const path = made(old);
      const before = wholeContent(path);
      await migrate(path, { ...optionsFor(old), fence });
      await downgradeMigration(path);
      expect(wholeContent(path)).toEqual(before);
    },
  );
});
