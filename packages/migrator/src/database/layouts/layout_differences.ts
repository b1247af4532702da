import { nearMiss } from "@perdura/internals/text/near_miss.js";
import { sqlName } from "@perdura/internals/text/quoted_sql.js";
import type { InteractionColumns } from "@perdura/internals/validity/interaction_problems.js";
import { sqlNames } from "../sql/sql_text.ts";
import { type Catalog, entryNamed } from "../sql/catalog.ts";
import { columnIn, TABLE_LAYOUTS, type TableLayout } from "./table_layouts.ts";

/** The types of the columns of version 16. */
const TYPES: Readonly<Record<Exclude<keyof InteractionColumns, "metadata">, string>> = {
  user_id: "TEXT",
  level: "INTEGER",
  success: "BOOLEAN",
  response_time_ms: "REAL",
  timestamp: "TIMESTAMP",
};

/** The columns by which a table differs from the layouts of its name, each with a way to correct it. */
export function differencesOf(catalog: Catalog, table: string): string[] {
  const names = (catalog.columns.get(table) ?? []).map(({ name }) => name);
  const lower = new Set(names.map((name) => name.toLowerCase()));
  const computed = catalog.computed.get(table) ?? [];
  const layout = nearest(table, lower);
  const level = columnIn(layout, "level") as string;
  const isAmbiguous = level !== "level" && lower.has("level") && lower.has(level);
  const columns = Object.entries(TYPES).map(([column, type]) => [
    columnIn(layout, column as keyof typeof TYPES) as string,
    type,
  ]) as [string, string][];
  const known = new Set(["id", "metadata", ...columns.map(([column]) => column)]);
  const others = names.filter((name) => !known.has(name.toLowerCase()));
  return [
    ...differenceOfId(catalog, table),
    ...columns.flatMap(([column, type]): string[] => {
      if (computed.includes(column))
        return [
          `${column} is a generated column (expected stored values: add a column, copy the values to it, drop the generated one, and rename the new one)`,
        ];
      if (lower.has(column)) return [];
      const meant = others.find((name) => nearMiss(name, [column]) === column);
      return [
        meant === undefined
          ? `${column} is missing (ALTER TABLE ${table} ADD COLUMN ${column} ${type}; and set its values)`
          : `${column} is missing, but there is a column ${meant} (ALTER TABLE ${table} RENAME COLUMN ${sqlName(meant)} TO ${column};)`,
      ];
    }),
    ...(isAmbiguous ? [`it has both level and ${level} (drop or rename the one that is not used)`] : []),
    ...(!isAmbiguous && level !== "level" && lower.has("level")
      ? [`the levels are in a column level (expected ${level}: ALTER TABLE ${table} RENAME COLUMN level TO ${level};)`]
      : []),
    ...(level !== "level" && computed.includes("level") ? ["level is a generated column"] : []),
  ];
}

/** The layout with levels whose level column the table has; else the last one of that name. */
function nearest(table: string, columns: ReadonlySet<string>): TableLayout {
  const layouts = TABLE_LAYOUTS.filter((layout) => layout.table === table && columnIn(layout, "level") !== null);
  const found = layouts.find((layout) => columns.has(columnIn(layout, "level") as string)) ?? layouts.at(-1);
  return found as TableLayout;
}

function differenceOfId(catalog: Catalog, table: string): string[] {
  const id = catalog.columns.get(table)?.find(({ name }) => name.toLowerCase() === "id");
  if (id?.type.toUpperCase() === "INTEGER" && id.pk === 1) return [];
  const found =
    id === undefined
      ? "is missing"
      : `is declared ${id.type === "" ? "without a type" : id.type}${id.pk > 0 ? " as a primary key" : ""}`;
  return [`id ${found} (expected INTEGER PRIMARY KEY: ${rebuildStatements(catalog, table)})`];
}

/** A name for the column of the former ids. */
function freeName(columns: readonly string[]): string {
  const taken = new Set(columns.map((column) => column.toLowerCase()));
  let name = "former_id";
  for (let number = 2; taken.has(name); number += 1) name = `former_id_${number}`;
  return name;
}

/**
 * Statements that give a table its primary key. Columns of the user stay, except for generated ones. Ids that such a key
 * cannot hold stay in a column of their own.
 */
export function rebuildStatements(catalog: Catalog, table: string): string {
  const present = catalog.columns.get(table.toLowerCase()) ?? [];
  const kept = present.filter(({ name }) => name.toLowerCase() !== "id");
  const ids = catalog.otherIds(table);
  const former = ids?.areIntegers === false ? freeName(present.map(({ name: column }) => column)) : undefined;
  const definitions = kept.map(({ name, type, notnull, dflt_value: value }) =>
    [
      sqlName(name),
      type,
      ...(notnull === 1 ? ["NOT NULL"] : []),
      ...(value === null ? [] : [`DEFAULT (${value})`]),
    ].join(" "),
  );
  const rebuilt = `${table}_rebuilt`;
  const name = sqlName(entryNamed(catalog, table, "table")?.name ?? table);
  const names = kept.map((column) => column.name);
  if (former !== undefined) definitions.push(sqlName(former));
  const targets = sqlNames(["id", ...names, ...(former === undefined ? [] : [former])]);
  const id = ids === undefined ? "rowid" : former === undefined ? "id" : "NULL";
  const sources = [id, ...names.map(sqlName), ...(former === undefined ? [] : ["id"])].join(", ");
  const order = former === undefined ? "1" : (ids?.order ?? "1");
  // Views and triggers elsewhere name the table, which does not exist for a moment.
  return `PRAGMA foreign_keys = OFF; PRAGMA legacy_alter_table = ON; BEGIN; CREATE TABLE ${sqlName(rebuilt)} (id INTEGER PRIMARY KEY AUTOINCREMENT, ${definitions.join(", ")}); INSERT INTO ${sqlName(rebuilt)} (${targets}) SELECT ${sources} FROM ${name} ORDER BY ${order}; DROP TABLE ${name}; ALTER TABLE ${sqlName(rebuilt)} RENAME TO ${name}; COMMIT; PRAGMA legacy_alter_table = OFF; then create the indexes and triggers of the table again`;
}
