import { tableNames } from "./catalog.ts";
import { sqlName } from "../text/quoted_sql.ts";
import { lacksCollation } from "./collations.ts";
import type { Database } from "./open_database.ts";

/**
 * Checks the pages of a database for damage (`PRAGMA quick_check`).
 *
 * For virtual tables, such as those of full-text search, SQLite calls their own check. A virtual table may read its
 * rows from a view, which would then run, possibly without end. So if there are virtual tables, the ordinary tables are
 * checked one by one. That includes the tables in which extensions store their data; the list of free pages is checked
 * with the table of the schema. Only pages that belong to nothing are not found.
 *
 * The same is done if an application defined a collation that SQLite does not have here: the tables with it are not
 * checked.
 *
 * @param most Maximum number of faults that are named.
 * @returns The faults in SQLite's words; empty for a database without faults.
 */
export function faultsOf(database: Database, most: number): string[] {
  const { ordinary, hasVirtual } = tableNames(database);
  const ofAll = hasVirtual ? undefined : reportedFaults(database, String(most));
  if (ofAll !== undefined) return ofAll;
  const faults: string[] = [];
  for (const table of ["sqlite_schema", ...ordinary]) {
    faults.push(...(reportedFaults(database, sqlName(table)) ?? []));
    if (faults.length >= most) break;
  }
  return faults.slice(0, most);
}

/** Undefined if SQLite lacks a collation for the check. */
function reportedFaults(database: Database, argument: string): string[] | undefined {
  try {
    const said = database.prepare(`PRAGMA main.quick_check(${argument})`).pluck().all() as string[];
    return said.filter((text) => text !== "ok");
  } catch (error) {
    if (lacksCollation(error)) return undefined;
    throw error;
  }
}
