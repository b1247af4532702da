import { columnsOf } from "@perdura/internals/sqlite/catalog.js";
import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { sqlName } from "@perdura/internals/text/quoted_sql.js";
import { type Catalog, entryNamed, freeName } from "../sql/catalog.ts";
import { integerKey } from "../sql/row_id.ts";
import { sqlNames } from "../sql/sql_text.ts";
import { definitionOf, rebuildTable } from "./rebuild_table.ts";

/**
 * Statements for the operator that give a table of interactions its primary key. Columns of the user stay, except for
 * generated ones. Ids that such a key cannot hold stay in a column of their own.
 */
export function rebuildMetricsTable(catalog: Catalog, table: string): string {
  const { database } = catalog;
  const present = columnsOf(database, table);
  const names = present.map(({ name }) => name);
  const kept = present.filter(({ name }) => name.toLowerCase() !== "id");
  const ids = idsOf(database, table);
  const former = ids === "others" ? [freeName("former_id", names)] : [];
  const id = { keys: "rowid", integers: "id", others: "NULL" }[ids];
  const columns = [...kept.map(({ name }) => sqlName(name)), ...former.map(sqlName)];
  return rebuildTable(database, entryNamed(catalog, table, "table")?.name ?? table, {
    create: (name) =>
      `CREATE TABLE ${name} (${["id INTEGER PRIMARY KEY AUTOINCREMENT", ...kept.map((column) => definitionOf(column)), ...former.map(sqlName)].join(", ")})`,
    columns: ["id", ...columns].join(", "),
    values: [id, sqlNames(kept.map(({ name }) => name)), ...former.map(() => "id")].join(", "),
  });
}

/** The content of a column `id`: the row ids, other distinct integers or the texts of such, or anything else. */
function idsOf(database: Database, table: string): "keys" | "integers" | "others" {
  const id = columnsOf(database, table).find(({ name }) => name.toLowerCase() === "id");
  if (id === undefined || integerKey(database, table) === id.name) return "keys";
  const areIntegers = database
    .prepare(
      `SELECT count(*) = count(DISTINCT CAST(id AS INTEGER)) AND total(CAST(CAST(id AS INTEGER) AS TEXT) IS NOT CAST(id AS TEXT)) = 0 FROM main.${sqlName(table)}`,
    )
    .pluck()
    .get();
  return areIntegers === 1 ? "integers" : "others";
}
