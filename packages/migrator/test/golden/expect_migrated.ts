import { expect } from "vitest";
import { comparable, type DatabaseContent, type StoredTable } from "../../../../fixtures/database_content.ts";
import type { MigratedAnswer } from "../../../../fixtures/expected.ts";

const INDEXES = ["index idx_interactions_user", "index idx_interactions_timestamp"];

/** The rows with these columns, whose names are case-insensitive. */
function projected(table: StoredTable | undefined, columns: readonly string[]): StoredTable | undefined {
  if (table === undefined) return undefined;
  const names = table.columns.map((name) => name.toLowerCase());
  const places = columns.map((name) => names.indexOf(name.toLowerCase()));
  return {
    columns: [...columns],
    rows: table.rows.map(({ classes, values }) => ({
      classes: places.map((place) => classes.charAt(place)).join(""),
      values: places.map((place) => values[place] ?? null),
    })),
  };
}

/** Checks that the database contains what the generator states, and no other user rows. */
export function expectMigrated(after: DatabaseContent, answer: MigratedAnswer, before: DatabaseContent): void {
  expect(after.user_version).toBe(answer.user_version);
  for (const [name, stated] of Object.entries(answer.tables ?? {})) {
    expect(projected(after.tables[name], stated.columns), name).toEqual(stated);
    expect(after.tables[name]?.columns.length, `columns of ${name}`).toBe(stated.columns.length);
  }
  for (const name of answer.unchanged ?? []) expect(after.tables[name], name).toEqual(before.tables[name]);
  expectQuarantined(after, answer.quarantined ?? []);
  const objects = after.objects.map(({ type, name }) => `${type} ${name}`);
  expect(objects).toEqual(
    expect.arrayContaining([...(answer.kept ?? []), ...(answer.tables?.interactions ? INDEXES : [])]),
  );
  const former = new Set(before.objects.map(({ type, name }) => `${type} ${name}`));
  const stays = new Set([...INDEXES, ...(answer.kept ?? [])]);
  expect(
    objects.filter((object) => /^index (?!sqlite_)/.test(object) && former.has(object) && !stays.has(object)),
  ).toEqual([]);
  if (answer.counter !== undefined) expect(counterOf(after)).toEqual(answer.counter);
}

/** Checks that programs which write these tables fail: each is a view with the columns that they name. */
export function expectFenced(after: DatabaseContent, before: DatabaseContent, tables: readonly string[]): void {
  for (const table of tables) {
    if (table === "interactions") continue;
    const fence = after.objects.find(({ type, name }) => type === "view" && name === table);
    const columns = before.tables[table]?.columns.filter((column) => !column.startsWith("my")) ?? [];
    for (const column of columns) expect(fence?.sql, table).toContain(`"${column.toLowerCase()}"`);
  }
}

function expectQuarantined(after: DatabaseContent, stated: NonNullable<MigratedAnswer["quarantined"]>): void {
  const quarantine = after.tables["perdura_quarantine"];
  expect(quarantine?.rows.length ?? 0).toBe(stated.reduce((sum, { rows }) => sum + rows.length, 0));
  for (const { table, columns, rows } of stated) {
    const source = quarantine?.columns.indexOf("perdura_source") ?? -1;
    const own = quarantine?.rows.filter(({ values }) => values[source] === table) ?? [];
    expect(
      projected({ columns: quarantine?.columns ?? [], rows: own }, columns),
      `quarantined rows of ${table}`,
    ).toEqual({
      columns,
      rows,
    });
  }
}

function counterOf({ tables }: DatabaseContent): unknown {
  const found = tables["sqlite_sequence"]?.rows.find(({ values }) => values[0] === "interactions");
  return found?.values[1] ?? null;
}

/** Checks that databases are equal in everything visible to a program, in any order of creation of their objects. */
export function expectSameDatabase(found: DatabaseContent | undefined, wanted: DatabaseContent): void {
  expect(tablesOf(found)).toEqual(tablesOf(wanted));
  expect(found?.user_version).toBe(wanted.user_version);
  const sorted = (content: DatabaseContent | undefined): unknown[] | undefined =>
    content?.objects.toSorted((one, other) => (one.name < other.name ? -1 : 1));
  expect(sorted(found)).toEqual(sorted(wanted));
}

function tablesOf(content: DatabaseContent | undefined): [string, StoredTable][] {
  const tables = content === undefined ? {} : comparable(content).tables;
  return Object.entries(tables).toSorted(([one], [other]) => (one < other ? -1 : 1));
}
