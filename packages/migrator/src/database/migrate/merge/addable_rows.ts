import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { sqlName } from "@perdura/internals/text/quoted_sql.js";
import { agreeing, rowsText } from "../../../core/rows_text.ts";
import { Stop } from "../../../core/stop.ts";
import { blockingCondition } from "@perdura/internals/validity/interaction_problems.js";
import { type Catalog, entryNamed } from "../../sql/catalog.ts";
import { keptColumns, type MetricsTable } from "../../layouts/metrics_table.ts";
import { namesIn } from "../../sql/sql_text.ts";
import { countFrom } from "../../sql/count_from.ts";

/** Rows that are added to a table, with the names of its columns in their source table. */
interface AddedRowsCheck {
  /** The target table. */
  to: string;
  /** Name of its row id. */
  id: "id" | "interaction_id";
  /** A column whose value has another source, or null. */
  filled: string | null;
  /** SQL that is true for the target's rows that stay. */
  stay: string;
  from: string;
  /** SQL that is true for the rows to add. */
  join: string;
  /** Keyed by the lower-case name of the target column. */
  columns: ReadonlyMap<string, string>;
}

/**
 * @throws Stop that names the constraint that would reject rows of the second table, or drop others for them, when they
 *   are added to the first.
 */
export function assertRowsCanBeAdded(
  database: Database,
  catalog: Catalog,
  first: MetricsTable,
  second: MetricsTable,
): void {
  const joins = `NOT (${blockingCondition(second)})`;
  const stays = `NOT (${blockingCondition(first)})`;
  const own = new Map(keptColumns(first).map(({ name, to }) => [to.toLowerCase(), name]));
  const interactions: AddedRowsCheck = {
    to: first.name,
    id: "id",
    filled: second.names.level === null ? first.names.level : null,
    stay: stays,
    from: second.name,
    join: joins,
    columns: new Map(
      keptColumns(second).map(({ name, to }) => [(own.get(to.toLowerCase()) ?? to).toLowerCase(), name]),
    ),
  };
  assertNothingRejects(database, catalog, interactions);
  const { metadata } = second.names;
  if (metadata === null || !first.sideTable) return;
  assertNothingRejects(database, catalog, {
    to: "interaction_metadata",
    id: "interaction_id",
    filled: null,
    stay: `interaction_id NOT IN (SELECT id FROM main.${sqlName(first.name)} WHERE ${blockingCondition(first)})`,
    from: second.name,
    join: `${sqlName(metadata)} IS NOT NULL AND ${joins}`,
    columns: new Map([
      ["interaction_id", "id"],
      ["metadata", metadata],
    ]),
  });
}

function assertNothingRejects(database: Database, catalog: Catalog, joining: AddedRowsCheck): void {
  const { from, join } = joining;
  if (database.prepare(`SELECT 1 FROM main.${sqlName(from)} WHERE ${join} LIMIT 1`).get() === undefined) return;
  assertNoConstraint(catalog, joining);
  assertNoNull(database, joining);
  assertNoCollision(database, joining);
  if (joining.id === "id") assertNoOrphan(database, joining);
}

/** The effect of a condition on a row, or a silent conflict resolution, would show only when the row is added. */
function assertNoConstraint(catalog: Catalog, { to, from }: AddedRowsCheck): void {
  const names = namesIn(entryNamed(catalog, to, "table")?.sql ?? "").filter(({ bare }) => bare);
  const found = names.some(({ name }) => name === "check")
    ? "a CHECK constraint"
    : names.some(({ name, before }) => name === "conflict" && before === "on")
      ? "an ON CONFLICT clause"
      : undefined;
  if (found === undefined) return;
  throw new Stop(
    "refused",
    `Cannot add the rows of ${from} to ${to}, which has ${found}: rows could be rejected, or replace others. Remove it from the table first.`,
  );
}

function assertNoNull(database: Database, { to, from, join, columns, filled }: AddedRowsCheck): void {
  const needed = database
    .prepare(
      `SELECT name, dflt_value IS NOT NULL AS "default" FROM pragma_table_info(?, 'main') WHERE "notnull" AND pk = 0`,
    )
    .all(to) as { name: string; default: 0 | 1 }[];
  for (const { name, default: given } of needed) {
    if (name.toLowerCase() === filled?.toLowerCase()) continue;
    const source = columns.get(name.toLowerCase());
    if (source === undefined && given === 1) continue;
    const missing = source === undefined ? "true" : `${sqlName(source)} IS NULL`;
    const rows = countFrom(database, `main.${sqlName(from)} WHERE (${join}) AND ${missing}`);
    if (rows > 0)
      throw new Stop(
        "refused",
        `Cannot add ${rowsText(rows)} of ${from} to ${to}: no value for the column ${name}, which is NOT NULL. Set the values first, or remove NOT NULL.`,
      );
  }
}

/** A UNIQUE index. */
interface Unique {
  name: string;
  partial: 0 | 1;
}

/** A column of an index; the name is null for an expression. */
interface Key {
  column: string | null;
  collation: string;
}

/** @throws Stop that names a UNIQUE index, with the number of rows whose values conflict with another row. */
function assertNoCollision(database: Database, joining: AddedRowsCheck): void {
  const indexes = database
    .prepare("SELECT name, partial FROM pragma_index_list(?, 'main') WHERE \"unique\" AND origin <> 'pk'")
    .all(joining.to) as Unique[];
  for (const index of indexes) {
    const keys = database
      .prepare("SELECT name AS column, coll AS collation FROM pragma_index_xinfo(?, 'main') WHERE key = 1")
      .all(index.name) as Key[];
    const { rows, exact } = countCollisions(database, joining, keys);
    if (rows === 0) continue;
    const number = exact && index.partial === 0 ? `${rows}` : `up to ${rows}`;
    throw new Stop(
      "refused",
      `Cannot merge the table ${joining.from} into ${joining.to}: the UNIQUE index ${index.name} of ${joining.to} would reject ${number} of the rows of ${joining.from}, because other rows have the same values in the columns of the index. Correct or delete those rows first, or drop the index (or remove the UNIQUE constraint from the table).`,
    );
  }
}

/** Values that only SQLite can compute (an expression, a value of another source) count as equal everywhere. */
function countCollisions(
  database: Database,
  joining: AddedRowsCheck,
  keys: readonly Key[],
): { rows: number; exact: boolean } {
  if (keys.some(({ column }) => column !== null && isDistinct(database, joining, column)))
    return { rows: 0, exact: true };
  const { to, stay, from, join, columns } = joining;
  const known = keys.flatMap(({ column, collation }) => {
    const source = column === null ? undefined : columns.get(column.toLowerCase());
    return source === undefined ? [] : [{ column: column as string, source, collation }];
  });
  const names = known.map((_key, index) => `k${index}`);
  const select = (pick: "column" | "source"): string =>
    known.map((key, index) => `, ${sqlName(key[pick])} AS k${index}`).join("");
  const whole = names.map((name) => ` AND ${name} IS NOT NULL`).join("");
  const group = known.map(({ collation }, index) => `, k${index} COLLATE ${sqlName(collation)}`).join("");
  const rows = database
    .prepare(
      `SELECT ifnull(sum(joining - (joining = rows)), 0) FROM (
        SELECT count(*) AS rows, sum(joins) AS joining FROM (
          SELECT 0 AS joins, 0 AS one${select("column")} FROM main.${sqlName(to)} WHERE ${stay}
          UNION ALL SELECT 1, 0${select("source")} FROM main.${sqlName(from)} WHERE ${join}
        ) WHERE true${whole} GROUP BY one${group}
      ) WHERE joining > 0`,
    )
    .pluck()
    .get() as number;
  return { rows, exact: known.length === keys.length };
}

/** Row ids are unique, and a column without a value is NULL, which equals nothing. */
function isDistinct(database: Database, { to, id, columns, filled }: AddedRowsCheck, column: string): boolean {
  const name = column.toLowerCase();
  if (name === id) return true;
  if (columns.has(name) || name === filled?.toLowerCase()) return false;
  // Generated columns are not listed.
  const empty = database
    .prepare("SELECT 1 FROM pragma_table_info(?, 'main') WHERE name = ? COLLATE NOCASE AND dflt_value IS NULL")
    .get(to, column);
  return empty !== undefined;
}

/** One column of a foreign key of the target table. */
interface Pair {
  key: number;
  parent: string;
  from: string;
  to: string | null;
}

/** @throws Stop that names a table to which added rows would refer without a matching row there. */
function assertNoOrphan(database: Database, joining: AddedRowsCheck): void {
  const rows = database
    .prepare(
      `SELECT f.id AS key, s.name AS parent, f."from",
        ifnull(f."to", (SELECT c.name FROM pragma_table_info(s.name, 'main') AS c WHERE c.pk = f.seq + 1)) AS "to"
      FROM pragma_foreign_key_list(?, 'main') AS f JOIN main.sqlite_schema AS s ON s.name = f."table" COLLATE NOCASE
      WHERE s.type = 'table' AND s.name <> ? COLLATE NOCASE`,
    )
    .all(joining.to, joining.to) as Pair[];
  for (const pairs of Map.groupBy(rows, ({ key }) => key).values()) assertParents(database, joining, pairs);
}

function assertParents(database: Database, { to, from, join, columns }: AddedRowsCheck, pairs: readonly Pair[]): void {
  const known = pairs.flatMap((pair) => {
    const source = columns.get(pair.from.toLowerCase());
    return source === undefined || pair.to === null ? [] : [{ parent: pair.parent, source, to: pair.to }];
  });
  const [first] = known;
  if (first === undefined || known.length < pairs.length) return;
  const whole = known.map(({ source }) => `e.${sqlName(source)} IS NOT NULL`).join(" AND ");
  const equal = known.map(({ source, to: column }) => `p.${sqlName(column)} = e.${sqlName(source)}`).join(" AND ");
  const rows = countFrom(
    database,
    `main.${sqlName(from)} AS e WHERE (${join}) AND ${whole} AND NOT EXISTS (SELECT 1 FROM main.${sqlName(first.parent)} AS p WHERE ${equal})`,
  );
  if (rows > 0)
    throw new Stop(
      "refused",
      `Cannot add ${rowsText(rows)} of ${from} to ${to}: ${agreeing(rows, "it refers", "they refer")} to rows of ${first.parent} that do not exist (FOREIGN KEY). Add those rows first, or remove the foreign key.`,
    );
}
