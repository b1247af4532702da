import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { hasTable } from "@perdura/internals/sqlite/catalog.js";
import { QUARANTINE_TABLE } from "../../databases/quarantine_table.ts";
import { allOf, sameValue, sqlName } from "../../databases/sql_text.ts";
import { REPAIRED_VALUES_TABLE } from "../../record/side_tables.ts";
import { rowsAre } from "../../core/rows_text.ts";
import { integerKey, isAsRepaired, type PatternShare, repairedColumns } from "../pattern_shares.ts";

/** What the way back did to the rows of a table of patterns. */
interface RestoredPatterns {
  /** SQL over the alias `l` of the copy that is true for rows of which no value came back. */
  unchanged: string;
  /** Rows that came back from the quarantine. */
  returned: number;
  differences: string[];
}

/** Proves what came back into a table of patterns: rows out of the quarantine, and original values. */
export function proveRestored(database: Database, table: string, shares: readonly PatternShare[]): RestoredPatterns {
  const share = shares.find((each) => each.table === table.toLowerCase());
  const unequal = share === undefined ? 0 : unequalReturned(database, share);
  const columns =
    table.toLowerCase() === "patterns" && wasRepaired(database) ? repairedColumns(database, "backup") : [];
  const restored = columns.map((column) => ({ column, is: isRestored(column, "l") }));
  const wrong = restored.reduce((sum, { column, is }) => sum + unequalRestored(database, column, is), 0);
  return {
    unchanged: restored.length === 0 ? "true" : `NOT (${restored.map(({ is }) => is).join(" OR ")})`,
    returned: share?.rows ?? 0,
    differences: [
      ...(unequal === 0 ? [] : [`${rowsAre(unequal, `of ${table}`)} not as in ${QUARANTINE_TABLE}`]),
      ...(wrong === 0 ? [] : [`${rowsAre(wrong, `of ${table}`)} not as in ${REPAIRED_VALUES_TABLE}`]),
    ],
  };
}

const wasRepaired = (database: Database): boolean => hasTable(database, REPAIRED_VALUES_TABLE, "backup");

function isRestored(column: string, alias: string): string {
  return `EXISTS (SELECT 1 FROM backup.${REPAIRED_VALUES_TABLE} AS v WHERE ${isAsRepaired(column, alias)})`;
}

/** A row whose row id is another's now has got a new one, so it is found by what it holds. */
function unequalReturned(database: Database, { table, columns, where }: PatternShare): number {
  const key = integerKey(database, table);
  const held = columns.filter((column) => column !== key);
  const equal = allOf(held.map((column) => sameValue(`r.${sqlName(column)}`, `l.${sqlName(column)}`)));
  const found = sqlName(table === "patterns" ? "id" : "pattern_id");
  return database
    .prepare(
      `SELECT count(*) FROM backup.${QUARANTINE_TABLE} AS l WHERE ${where("l")} AND NOT EXISTS (SELECT 1 FROM main.${table} AS r WHERE r.${found} IS l.${found} AND ${equal})`,
    )
    .pluck()
    .get() as number;
}

function unequalRestored(database: Database, column: string, where: string): number {
  const name = sqlName(column);
  const original = `(SELECT v.original FROM backup.${REPAIRED_VALUES_TABLE} AS v WHERE ${isAsRepaired(column, "l")} ORDER BY v.number LIMIT 1)`;
  return database
    .prepare(
      `SELECT count(*) FROM backup.patterns AS l LEFT JOIN main.patterns AS r ON r.id = l.id WHERE ${where} AND (r.id IS NULL OR (+r.${name}) IS NOT ${original} OR typeof(r.${name}) <> typeof(${original}))`,
    )
    .pluck()
    .get() as number;
}
