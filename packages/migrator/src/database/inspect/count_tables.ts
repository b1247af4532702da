import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { sqlName } from "@perdura/internals/text/quoted_sql.js";
import type { DatabaseReport } from "../../core/report.ts";
import { type Catalog, hasTable } from "../sql/catalog.ts";
import { hasPatterns } from "../layouts/known_layouts.ts";
import { knownTables } from "../layouts/table_layouts.ts";
import { countFrom } from "../sql/count_from.ts";

/**
 * Counts the rows of the tables that the layouts and the migrations have.
 *
 * @param counted A table whose rows were counted before.
 */
export function countTables(
  database: Database,
  catalog: Catalog,
  counted?: DatabaseReport["tables"][number],
): DatabaseReport["tables"] {
  const isOther = (table: string): boolean => table.startsWith("pattern") && !hasPatterns(catalog);
  return knownTables()
    .filter((table) => hasTable(catalog, table) && !isOther(table))
    .map((table) =>
      table === counted?.table.toLowerCase()
        ? counted
        : {
            table,
            rows: countFrom(database, `main.${sqlName(table)}`),
          },
    );
}
