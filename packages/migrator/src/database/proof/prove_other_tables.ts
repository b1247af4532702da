import { isRollupTable } from "@perdura/internals/metrics/rollup/handover.js";
import type { Database } from "@perdura/internals/sqlite/open_database.js";
import type { InPieces } from "../../core/progress.ts";
import type { VerificationReport } from "../../core/report.ts";
import { rowsText } from "../../core/rows_text.ts";
import { OWN_TABLES } from "../record/side_tables.ts";
import { allColumnsOf } from "../sql/catalog.ts";
import { rowIdName } from "../sql/row_id.ts";
import {
  type Compared,
  type Comparison,
  countAll,
  countUnequal,
  countUnequalInPieces,
  rowsDiffer,
} from "./comparison.ts";
import { missingCollation } from "./unreadable_tables.ts";

/** A row of `pragma_table_list`. */
export interface ListedTable {
  name: string;
  type: string;
  /** 1 for tables without row ids. */
  wr: 0 | 1;
}

/** Expected effect of a change, in either direction, on a table that does not have the interactions. */
export interface TableChange {
  /** SQL over the alias `l` of the copy that is true for rows that stay in the table; undefined for all. */
  stays?: string | undefined;
  /** Values of the copy as they must be now, over the alias `l`. */
  converted?: Compared;
  /** Present values as they must have been, over the alias `r`. */
  former?: Compared;
  /** Lower-case names of columns that the database does not have any more. */
  without?: readonly string[];
  /** Number of rows that left for the quarantine, or returned from it. */
  quarantined?: number;
  returned?: number;
  /** Number of repaired values. */
  repaired?: number;
  /** Differences of rows that left or returned. */
  differences?: readonly string[];
}

/** A changed database, with its copy from before the change attached as `backup`. */
interface Changed {
  database: Database;
  /** Lower-case names of tables that the user's triggers wrote. */
  written: ReadonlySet<string>;
  /** True some time after the change: programs may have written to the tables since. */
  later: boolean;
}

/**
 * Proves that tables that do not concern a change are unchanged, row by row, and that others are as expected. Tables of
 * extensions have no rows of their own; their shadow tables are compared. The user's triggers may write to such tables.
 * Later, programs write to such tables: then their changes are not differences.
 */
export function* proveOtherTables(
  { database, written, later }: Changed,
  listed: readonly ListedTable[],
  changeOf: (table: ListedTable) => TableChange,
): InPieces<{ tables: VerificationReport["other_tables"]; differences: string[] }> {
  const present = new Set(database.prepare("SELECT name FROM pragma_table_list WHERE schema = 'main'").pluck().all());
  const differences: string[] = [];
  const tables: VerificationReport["other_tables"] = [];
  for (const table of listed) {
    const { name } = table;
    const rows = countAll(database, "backup", name);
    // The proof of the schema reports a missing table.
    if (later && !present.has(name) && isLibrary(name)) differences.push(`the table ${name} is missing`);
    const change = changeOf(table);
    const { quarantined = 0, returned = 0, repaired = 0 } = change;
    const unequal = present.has(name) ? yield* unequalRows(database, table, change) : rows;
    const after = present.has(name) ? countAll(database, "main", name) : 0;
    const expected = rows - quarantined + returned;
    // Rows are added to the tables of an earlier run.
    const grows = OWN_TABLES.has(name.toLowerCase()) && after > expected;
    const isWritten = written.has(name.toLowerCase());
    if (!later) differences.push(...(change.differences ?? []));
    if (!later && !isWritten && (unequal > 0 || (after !== expected && !grows)))
      differences.push(`${rowsDiffer(unequal, name)}; ${rowsText(rows)} before, ${after} after`);
    tables.push({ table: name, rows, quarantined, repaired, changed_since: later || isWritten ? unequal : 0 });
  }
  return { tables, differences };
}

/**
 * All tables of the backup with rows of their own, except for those of the rollup, which are derived from the
 * interactions, and for those that SQLite cannot read here.
 *
 * @param handled Lower-case names of tables to leave out.
 */
export function tablesOfBackup(database: Database, handled: ReadonlySet<string>): ListedTable[] {
  const tables = database
    .prepare(
      `SELECT listed.name, listed.type, wr, sql FROM pragma_table_list AS listed LEFT JOIN backup.sqlite_schema AS made
       ON made.name = listed.name AND made.type = 'table' WHERE schema = 'backup'`,
    )
    .all() as (ListedTable & { sql: string | null })[];
  return tables.filter(
    ({ name, type, sql }) =>
      (type === "table" || type === "shadow") &&
      !name.startsWith("sqlite_") &&
      !handled.has(name.toLowerCase()) &&
      !isRollupTable(name, sql) &&
      missingCollation(database, name, "backup") === undefined,
  );
}

/** True for tables that no program drops; the user may drop their own ones. */
function isLibrary(table: string): boolean {
  return table === "patterns" || table === "pattern_usage";
}

/** Number of rows of a table of the backup that have no equal row in the database. */
function* unequalRows(
  database: Database,
  table: ListedTable,
  { stays, converted, former, without = [] }: TableChange,
): InPieces<number> {
  const listed = database.prepare("SELECT name, pk FROM pragma_table_xinfo(?, 'backup')").all(table.name) as {
    name: string;
    pk: number;
  }[];
  const columns = listed.map(({ name }) => name).filter((name) => !without.includes(name.toLowerCase()));
  const rowId = table.wr === 1 ? null : rowIdName(table.name, [...columns, ...allColumnsOf(database, table.name)]);
  const keys = rowId === null ? listed.filter(({ pk }) => pk > 0).map(({ name }) => name) : [rowId];
  const side = { table: table.name, columns };
  const comparison: Comparison = {
    left: { ...side, schema: "backup", compared: converted },
    right: { ...side, schema: "main", compared: former },
    keys: keys.map((key) => [key, key] as const),
    where: stays,
  };
  const { unequal } =
    rowId === null ? countUnequal(database, comparison) : yield* countUnequalInPieces(database, comparison, rowId);
  return unequal;
}
