import { type Column, columnNames, hasRowid } from "@perdura/internals/sqlite/catalog.js";
import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { sqlName, sqlText } from "@perdura/internals/text/quoted_sql.js";
import { countsIds, freeName, schemaEntries } from "../sql/catalog.ts";
import { rowIdName } from "../sql/row_id.ts";
import { tokensOf, withKnownCollations } from "../sql/sql_text.ts";

/** A table in another form. */
interface Rebuilt {
  /** Its statement, for a table of that name, which needs no quotes. */
  create: (name: string) => string;
  /** Its columns and their values, in SQL over the columns of the former table; not those that are generated. */
  columns: string;
  values: string;
}

/**
 * Statements for the operator that replace a table by another form of it. Its rows keep their order, and its indexes
 * and triggers are created again, except for indexes with a collation that SQLite does not have here.
 */
export function rebuildTable(database: Database, table: string, { create, columns, values }: Rebuilt): string {
  const entries = schemaEntries(database);
  const order = hasRowid(database, table) ? ` ORDER BY ${rowIdName(table, columnNames(database, table))}` : "";
  const name = sqlName(table);
  const rebuilt = freeName(
    `${table}_new`,
    entries.map((entry) => entry.name),
  );
  const own = entries.flatMap(({ type, table: of, sql }) =>
    ["index", "trigger"].includes(type) && of.toLowerCase() === table.toLowerCase() && sql !== null
      ? [{ type, sql }]
      : [],
  );
  const kept = own.filter(({ type, sql }) => type === "trigger" || withKnownCollations(sql) === undefined);
  const statements = [
    create(sqlName(rebuilt)),
    `INSERT INTO ${sqlName(rebuilt)} (${columns}) SELECT ${values} FROM ${name}${order}`,
    ...(hasCounter(database, table)
      ? [
          `DELETE FROM sqlite_sequence WHERE name = ${sqlText(rebuilt)}`,
          `INSERT INTO sqlite_sequence SELECT ${sqlText(rebuilt)}, seq FROM sqlite_sequence WHERE name = ${sqlText(table)} COLLATE NOCASE`,
        ]
      : []),
    `DROP TABLE ${name}`,
    `ALTER TABLE ${sqlName(rebuilt)} RENAME TO ${name}`,
    ...kept.map(({ sql }) => sql),
  ];
  // Views and triggers elsewhere name the table, which does not exist for a moment.
  return `PRAGMA foreign_keys = OFF; PRAGMA legacy_alter_table = ON; BEGIN; ${statements.join("; ")}; COMMIT; PRAGMA legacy_alter_table = OFF;`;
}

/** The text of a table, which SQLite always begins with CREATE TABLE and the name, for another name. */
export function withName(sql: string, name: string): string {
  const [create, blank, table, further, , ...rest] = tokensOf(sql).map(({ text }) => text);
  return [create, blank, table, further, name, ...rest].join("");
}

/** The definition of a column that is not generated, perhaps under another name. */
export function definitionOf({ name, type, notnull, dflt_value: value }: Column, as: string = name): string {
  return [
    sqlName(as),
    type,
    ...(notnull === 1 ? ["NOT NULL"] : []),
    ...(value === null ? [] : [`DEFAULT (${value})`]),
  ].join(" ");
}

/** True for a table whose highest id SQLite remembers. */
function hasCounter(database: Database, table: string): boolean {
  return (
    countsIds(database, "main") &&
    database.prepare("SELECT 1 FROM main.sqlite_sequence WHERE name = ? COLLATE NOCASE").get(table) !== undefined
  );
}
