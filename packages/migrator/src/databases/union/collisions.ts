import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { Stop } from "../../core/stop.ts";
import { sqlName } from "../sql_text.ts";
import type { Joining } from "./addable_rows.ts";

/** An index of which no two rows may have the same values. */
interface Unique {
  name: string;
  partial: 0 | 1;
}

/** A column of an index; the name is null for an expression. */
interface Key {
  column: string | null;
  collation: string;
}

/** @throws Stop naming a UNIQUE index, and how many of the rows that join would have values that another row has. */
export function assertNoCollision(database: Database, joining: Joining): void {
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
      `The UNIQUE index ${index.name} of the table ${joining.to} would turn away ${number} of the rows of ${joining.from}, whose values another row has. Correct or delete those rows first, or drop the index (of a UNIQUE condition in the table: take it out).`,
    );
  }
}

/** What only SQLite can work out (an expression, a value from elsewhere) is taken to be equal everywhere. */
function countCollisions(database: Database, joining: Joining, keys: readonly Key[]): { rows: number; exact: boolean } {
  if (keys.some(({ column }) => column !== null && tellsApart(database, joining, column)))
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

/** Row ids are never given twice, and a column that gets no value is NULL, which equals nothing. */
function tellsApart(database: Database, { to, id, columns, filled }: Joining, column: string): boolean {
  const name = column.toLowerCase();
  if (name === id) return true;
  if (columns.has(name) || name === filled?.toLowerCase()) return false;
  // Columns that are worked out from others are not listed.
  const empty = database
    .prepare("SELECT 1 FROM pragma_table_info(?, 'main') WHERE name = ? COLLATE NOCASE AND dflt_value IS NULL")
    .get(to, column);
  return empty !== undefined;
}
