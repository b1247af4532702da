import { columnsOf } from "@perdura/internals/sqlite/catalog.js";
import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { sqlName } from "@perdura/internals/text/quoted_sql.js";
import { agreeing, rowsText } from "../../core/rows_text.ts";
import { Stop } from "../../core/stop.ts";
import { blockingCondition } from "@perdura/internals/validity/interaction_problems.js";
import type { MetricsTable } from "../layouts/metrics_table.ts";
import { sqlNames } from "../sql/sql_text.ts";
import { countFrom } from "../sql/count_from.ts";

/** Names of the tables with foreign keys. */
export function tablesWithKeys(database: Database): string[] {
  return database
    .prepare(
      "SELECT name FROM main.sqlite_schema AS s WHERE type = 'table' AND EXISTS (SELECT 1 FROM pragma_foreign_key_list(s.name, 'main'))",
    )
    .pluck()
    .all() as string[];
}

/**
 * Quarantined rows leave the table. The side table's rows are moved with them.
 *
 * @throws Stop that names a table of the user that refers to such rows, with the number of its rows that do.
 */
export function assertNotReferenced(database: Database, parent: MetricsTable): void {
  const goesAlong = parent.sideTable ? "interaction_metadata" : null;
  assertRowsUnreferenced(database, parent, blockingCondition(parent), goesAlong);
}

/**
 * Does the same for any rows of a table.
 *
 * @param rows SQL over the columns of the table that is true for the rows that leave it.
 * @param goesAlong The table whose rows leave with them.
 * @param fate What happens to the rows.
 */
export function assertRowsUnreferenced(
  database: Database,
  parent: Pick<MetricsTable, "name" | "columns">,
  rows: string,
  goesAlong: string | null,
  fate: string = QUARANTINED,
): void {
  const keys = referencesTo(database, parent).filter(({ table }) => table.toLowerCase() !== goesAlong);
  for (const [table, references] of Map.groupBy(keys, (key) => key.table)) {
    const counted = references.map((key) => countReferring(database, parent.name, rows, table, key.pairs));
    const referring = counted.reduce((sum, count) => sum + count, 0);
    if (referring === 0) continue;
    const broken = references.filter((_key, index) => (counted[index] as number) > 0);
    throw refersTo(table, referring, fate, correctionOf(database, parent.name, rows, broken));
  }
}

/** A foreign key: pairs of a column and the parent's column that it refers to. */
interface Reference {
  table: string;
  pairs: { from: string; to: string }[];
}

/** One pair of it, as SQLite lists it. */
interface Found {
  table: string;
  key: number;
  from: string;
  to: string;
}

function referencesTo(database: Database, { name, columns }: Pick<MetricsTable, "name" | "columns">): Reference[] {
  const rows = database
    .prepare(
      `SELECT s.name AS "table", f.id AS key, f."from", ifnull(f."to", 'id') AS "to"
      FROM main.sqlite_schema AS s, pragma_foreign_key_list(s.name, 'main') AS f
      WHERE s.type = 'table' AND f."table" = ? COLLATE NOCASE`,
    )
    .all(name) as Found[];
  const keys = Map.groupBy(rows, ({ table, key }) => `${key} ${table}`);
  const known = new Set(columns.map((column) => column.toLowerCase()));
  // A reference to a missing column is malformed, and has no effect.
  return [...keys.values()]
    .filter((pairs) => pairs.every(({ to }) => known.has(to.toLowerCase())))
    .map((pairs) => ({ table: (pairs[0] as Found).table, pairs }));
}

/** A quarantined row may refer to another quarantined one. */
function countReferring(
  database: Database,
  parent: string,
  rows: string,
  table: string,
  pairs: Reference["pairs"],
): number {
  const equal = pairs.map(({ from, to }) => `p.${sqlName(to)} = c.${sqlName(from)}`).join(" AND ");
  const stays = table.toLowerCase() === parent.toLowerCase() ? `NOT (${rows}) AND ` : "";
  return countFrom(
    database,
    `main.${sqlName(table)} AS c WHERE ${stays}EXISTS (SELECT 1 FROM main.${sqlName(parent)} AS p WHERE ${equal} AND (${rows}))`,
  );
}

/** Maximum number of values of a key that a statement for the operator lists. */
const LISTED = 20;

/** The keys of the rows that cannot leave, and statements that show these rows and remove the references. */
function correctionOf(database: Database, parent: string, rows: string, references: readonly Reference[]): string {
  const statements = references.map(({ table, pairs }) => {
    const [to, from] = [sqlNames(pairs.map((pair) => pair.to)), sqlNames(pairs.map((pair) => pair.from))];
    const [left, right] = pairs.length === 1 ? [to, from] : [`(${to})`, `(${from})`];
    const selected = `SELECT ${to} FROM ${sqlName(parent)} WHERE ${rows}`;
    const values = pairs.length === 1 ? referredTo(database, parent, rows, table, pairs) : [];
    const list = values.length === 0 || values.length > LISTED ? selected : values.join(", ");
    return {
      show: `SELECT * FROM ${sqlName(parent)} WHERE ${left} IN (${list})`,
      remove: `${removal(database, table, pairs)} WHERE ${right} IN (${list})`,
    };
  });
  const shows = [...new Set(statements.map(({ show }) => `${show};`))].join(" ");
  return `Correct the invalid rows: ${shows} Or remove the references: ${statements.map(({ remove }) => `${remove};`).join(" ")} Then run this command again.`;
}

/** The values of a key of one column that rows refer to, as SQL literals; one more than are listed. */
function referredTo(
  database: Database,
  parent: string,
  rows: string,
  table: string,
  [pair]: Reference["pairs"],
): string[] {
  const { from, to } = pair as Reference["pairs"][number];
  return database
    .prepare(
      `SELECT DISTINCT quote(p.${sqlName(to)}) FROM main.${sqlName(parent)} AS p WHERE (${rows}) AND EXISTS (SELECT 1 FROM main.${sqlName(table)} AS c WHERE c.${sqlName(from)} = p.${sqlName(to)}) LIMIT ${LISTED + 1}`,
    )
    .pluck()
    .all() as string[];
}

/** A reference that may not be NULL leaves with its row. */
function removal(database: Database, table: string, pairs: Reference["pairs"]): string {
  const names = new Set(pairs.map(({ from }) => from.toLowerCase()));
  const isRequired = columnsOf(database, table).some(
    ({ name, notnull, pk }) => names.has(name.toLowerCase()) && (notnull === 1 || pk > 0),
  );
  const set = pairs.map(({ from }) => `${sqlName(from)} = NULL`).join(", ");
  return isRequired ? `DELETE FROM ${sqlName(table)}` : `UPDATE ${sqlName(table)} SET ${set}`;
}

const QUARANTINED = "be moved to quarantine";

/** Refuses to break references of a table of the user. */
export function refersTo(
  table: string,
  rows: number,
  fate: string = QUARANTINED,
  correction = "Correct those rows first, or remove the references.",
): Stop {
  const [what, refer] = [rowsText(rows), agreeing(rows, "refers", "refer")];
  return new Stop("refused", `${what} of your table ${table} ${refer} to rows that would ${fate}. ${correction}`);
}
