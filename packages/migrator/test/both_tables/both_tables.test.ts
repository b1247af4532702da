import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { planMigration, verifyMigration } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { METRICS } from "../../src/database/layouts/table_layouts.ts";
import { isMerged, rotated, TABLES_WITH_ALL_COLUMNS, useLayout } from "../layouts/layout_suite.ts";
import { DOCUMENTED_15_WITH_NOTE, oldTable, type OldTable, spelled } from "../layouts/old_table.ts";
import { freshFolder, stampOf } from "../support/folder.ts";
import { makeDatabase, query } from "../../../../test/legacy/legacy_database.ts";

const DOCUMENTED_16 = DOCUMENTED_15_WITH_NOTE.replaceAll("empathy_level", "level");
const SIDE_TABLE =
  "CREATE TABLE interaction_metadata (interaction_id INTEGER PRIMARY KEY REFERENCES interactions(id) ON DELETE CASCADE, metadata TEXT NOT NULL)";

const interactions = (rows: string): string =>
  `INSERT INTO interactions (id, user_id, level, success, timestamp) VALUES ${rows}`;
const metrics =
  (rows: string) =>
  (old: OldTable): string =>
    spelled(old, `INSERT INTO metrics (id, user_id, empathy_level, success, timestamp, metadata) VALUES `) + rows;

const OLD = "'2024-01-01 10:00:00'";
const NEW = "'2024-02-01T10:00:00'";

function laidOut(old: OldTable, ...statements: string[]): string {
  const path = join(freshFolder(), "m.db");
  makeDatabase(path, DOCUMENTED_16, old.create, ...statements);
  return path;
}

/** Tables whose rows are merged. */
const SECOND = TABLES_WITH_ALL_COLUMNS.filter(isMerged);

const ids = (path: string): unknown[] =>
  query<[bigint, string]>(path, "SELECT id, user_id FROM interactions ORDER BY id").map(
    ([id, user]) => `${id} ${user}`,
  );

describe("the ids of the rows of a second table", () => {
  const CASES: (readonly [string, (string | ((old: OldTable) => string))[], string[], number])[] = [
    [
      "newer rows follow all ids that interactions ever had",
      [
        interactions(`(4, 'a', 1, 1, ${OLD}), (9, 'gone', 1, 1, ${OLD})`),
        "DELETE FROM interactions WHERE id = 9",
        metrics(`(3, 'x', 2, 1, ${NEW}, NULL), (5, 'y', 2, 1, ${OLD}, NULL)`),
      ],
      ["4 a", "10 x", "12 y"],
      7,
    ],
    [
      "older rows come before the others",
      [interactions(`(4, 'a', 1, 1, ${NEW})`), metrics(`(3, 'x', 2, 1, ${OLD}, NULL), (7, 'y', 2, 1, ${OLD}, NULL)`)],
      ["-1 x", "3 y", "4 a"],
      -4,
    ],
    [
      "ids that are free stay",
      [interactions(`(4, 'a', 1, 1, ${OLD})`), metrics(`(8, 'x', 2, 1, ${NEW}, NULL)`)],
      ["4 a", "8 x"],
      0,
    ],
    [
      "rows of the same time come after",
      [interactions(`(1, 'a', 1, 1, ${OLD})`), metrics(`(1, 'x', 2, 1, ${OLD}, NULL)`)],
      ["1 a", "2 x"],
      1,
    ],
    [
      "metadata that belongs to no row gets none",
      [
        SIDE_TABLE,
        "PRAGMA foreign_keys = OFF; INSERT INTO interaction_metadata VALUES (6, 'orphan')",
        interactions(`(1, 'a', 1, 1, ${OLD})`),
        metrics(`(1, 'x', 2, 1, ${NEW}, NULL)`),
      ],
      ["1 a", "7 x"],
      6,
    ],
    ["a table without rows only goes", [interactions(`(1, 'a', 1, 1, ${OLD})`)], ["1 a"], 0],
  ];

  test.each(rotated(CASES, SECOND))("%s", async (_what, statements, expected, offset, old) => {
    useLayout(old);
    const path = laidOut(old, ...statements.map((one) => (typeof one === "string" ? one : one(old))));
    const planned = await planMigration(path);
    const { exit_code, databases } = await migrate(path);
    expect(exit_code).toBe(0);
    expect(databases[0]?.merged).toMatchObject({ table: old.table, id_offset: offset, rows: expected.length - 1 });
    expect(planned.databases[0]?.merged).toEqual(databases[0]?.merged);
    expect(ids(path)).toEqual(expected);
    const [[counter] = []] = query<[bigint]>(path, "SELECT seq FROM sqlite_sequence WHERE name = 'interactions'");
    expect(Number(counter)).toBe(Math.max(...expected.map((row) => Number.parseInt(row, 10)), offset === 7 ? 9 : 0));
    expect((await verifyMigration(path)).exit_code).toBe(0);
  });

  test("are never ids that version 16 cannot read", async () => {
    const old = oldTable(METRICS);
    const path = laidOut(
      old,
      interactions(`(${2n ** 53n}, 'a', 1, 1, ${OLD})`),
      metrics(`(1, 'x', 2, 1, ${NEW}, NULL)`)(old),
    );
    const before = stampOf(join(path, ".."));
    expect(await migrate(path)).toMatchObject({
      exit_code: 3,
      databases: [{ reason: expect.stringContaining("ids beyond 2^53") }],
    });
    expect(stampOf(join(path, ".."))).toBe(before);
  });
});

test.each(SECOND)(
  "keeps all data of interactions and $table: metadata, quarantined rows, the record; fires triggers",
  async (old) => {
    useLayout(old);
    const { table, names } = old;
    const path = laidOut(
      old,
      SIDE_TABLE,
      interactions(`(1, 'a', 3, 1, ${OLD}), (2, 'odd', 9, 1, ${OLD}), (3, 'a', 4, 1, ${OLD})`),
      "INSERT INTO interaction_metadata VALUES (1, 'one'), (2, 'two')",
      metrics(
        `(1, 'x', 2, 'yes', ${NEW}, '{"n": NaN}'), (2, 'odd', 'high', 1, ${NEW}, 'aside'), (3, 'a', 5, 1, ${NEW}, NULL)`,
      )(old),
      "CREATE TABLE log (id); CREATE TRIGGER mine AFTER INSERT ON interactions BEGIN INSERT INTO log VALUES (NEW.id); END",
    );
    expect((await migrate(path)).exit_code).toBe(3);
    const { exit_code, databases } = await migrate(path, { invalidRows: "quarantine" });
    expect(exit_code).toBe(0);
    expect(databases[0]).toMatchObject({
      merged: { rows: 2, id_offset: 3, first_id: 4, last_id: 6 },
      verification: { rows_before: 6, rows_after: 4, rows_quarantined: 2, metadata_rows: 4, differences: [] },
    });
    expect(query(path, "SELECT id, user_id, level, success FROM interactions ORDER BY id")).toEqual([
      [1n, "a", 3n, 1n],
      [3n, "a", 4n, 1n],
      [4n, "x", 2n, "yes"],
      [6n, "a", 5n, 1n],
    ]);
    expect(query(path, "SELECT * FROM interaction_metadata ORDER BY 1")).toEqual([
      [1n, "one"],
      [4n, '{"n": NaN}'],
    ]);
    expect(
      query(
        path,
        `SELECT perdura_source, id, level, ${names.level}, metadata, ${names.metadata} FROM perdura_quarantine ORDER BY 1`,
      ),
    ).toEqual([
      ["interactions", 2n, 9n, null, "two", names.metadata === "metadata" ? "two" : null],
      [table, 2n, null, "high", names.metadata === "metadata" ? "aside" : null, "aside"],
    ]);
    expect(query(path, "SELECT * FROM perdura_merged_rows")).toEqual([[1n, table, 1n, 3n, 2n, 3n]]);
    expect(query(path, "SELECT * FROM log")).toEqual([[4n], [6n]]);
    expect(query(path, `SELECT name FROM sqlite_schema WHERE tbl_name = '${table}' ORDER BY type DESC`)).toEqual([
      [table],
      ["perdura_fence"],
    ]);
    expect((await verifyMigration(path)).exit_code).toBe(0);
  },
);
