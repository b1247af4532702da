import { tableNames } from "./catalog.ts";
import type { Database } from "./open_database.ts";

/**
 * Lets SQLite look through the pages of a database (`PRAGMA quick_check`) for what is damaged.
 *
 * Tables of extensions (full-text search) would be asked to check themselves. One of those may take its rows from a view,
 * which would be run then, perhaps without end. So where there are any, the ordinary tables are looked through one by one;
 * what the extensions store lies in such tables as well, the list of free pages is looked through with the schema's own
 * table, and only pages that belong to nothing are not noticed.
 *
 * @param most How many faults are named.
 * @returns The faults in SQLite's words; none for a sound database.
 */
export function faultsOf(database: Database, most: number): string[] {
  const { ordinary, hasVirtual } = tableNames(database);
  if (!hasVirtual) return faultsSaid(database, String(most));
  const faults: string[] = [];
  for (const table of ["sqlite_schema", ...ordinary]) {
    faults.push(...faultsSaid(database, `"${table.replaceAll('"', '""')}"`));
    if (faults.length >= most) break;
  }
  return faults.slice(0, most);
}

function faultsSaid(database: Database, argument: string): string[] {
  const said = database.prepare(`PRAGMA main.quick_check(${argument})`).pluck().all() as string[];
  return said.filter((text) => text !== "ok");
}
