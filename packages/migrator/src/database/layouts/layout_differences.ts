import { nearMiss } from "@perdura/internals/text/near_miss.js";
import { sqlName } from "@perdura/internals/text/quoted_sql.js";
import type { InteractionColumns } from "@perdura/internals/validity/interaction_problems.js";
import { sqlNames } from "../sql/sql_text.ts";
import { type Catalog, entryNamed } from "../sql/catalog.ts";
import { storeColumns } from "./store_columns.ts";
import { columnIn, levelColumns, TABLE_LAYOUTS, type TableLayout } from "./table_layouts.ts";

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
  const layout = nearest(table, lower, computed);
  const level = columnIn(layout, "level") ?? "level";
  const isAmbiguous = level !== "level" && lower.has("level") && lower.has(level);
  const columns = Object.entries(TYPES).flatMap(([column, type]): [string, string][] => {
    const name = columnIn(layout, column as keyof typeof TYPES);
    return name === null ? [] : [[name, type]];
  });
  const known = new Set(["id", columnIn(layout, "metadata"), ...columns.map(([column]) => column)]);
  const alter = `ALTER TABLE ${sqlName(table)}`;
  const rename = (from: string, to: string): string => `${alter} RENAME COLUMN ${sqlName(from)} TO ${sqlName(to)};`;
  const others = names.filter((name) => !known.has(name.toLowerCase()));
  const generated = columns.map(([column]) => column).filter((column) => computed.includes(column));
  // Statements for other differences would lose the values of these columns.
  if (generated.length > 0) return [differenceOfGenerated(catalog, table, generated)];
  return [
    ...differenceOfId(catalog, table),
    ...columns.flatMap(([column, type]): string[] => {
      // Levels in a column `level` have another sentence.
      if (lower.has(column) || (column === level && lower.has("level"))) return [];
      const meant = others.find((name) => nearMiss(name, [column]) === column);
      return [
        meant === undefined
          ? `${column} is missing (${alter} ADD COLUMN ${sqlName(column)} ${type}; and set its values)`
          : `${column} is missing, but there is a column ${meant} (${rename(meant, column)})`,
      ];
    }),
    ...(isAmbiguous ? [`it has both level and ${level} (drop or rename the one that is not used)`] : []),
    ...(!isAmbiguous && level !== "level" && lower.has("level")
      ? [`the levels are in a column level (expected ${level}: ${rename("level", level)})`]
      : []),
    ...levelColumns()
      .filter((column) => column !== level && computed.includes(column))
      .map(
        (column) =>
          `${column} is a generated column, but the levels are in ${level} (${rename(column, freeName(`former_${column}`, [...names, ...computed]))})`,
      ),
  ];
}

/**
 * The layout with levels whose level column the table has, if possible not a generated one; else the last one of that
 * name with levels, if there is one.
 */
function nearest(table: string, columns: ReadonlySet<string>, computed: readonly string[]): TableLayout {
  const named = TABLE_LAYOUTS.filter((layout) => layout.table === table);
  const layouts = named.filter((layout) => columnIn(layout, "level") !== null);
  const levelOf = (layout: TableLayout): string => columnIn(layout, "level") as string;
  const found =
    layouts.find((layout) => columns.has(levelOf(layout))) ??
    layouts.find((layout) => computed.includes(levelOf(layout))) ??
    layouts.at(-1) ??
    named[0];
  return found as TableLayout;
}

/** Version 16 stores values in these columns, which SQLite refuses. */
function differenceOfGenerated({ database }: Catalog, table: string, columns: readonly string[]): string {
  const what = columns.length === 1 ? "is a generated column" : "are generated columns";
  return `${columns.join(", ")} ${what}, in which no program can store values (expected stored values; in the sqlite3 shell: ${storeColumns(database, table, columns)})`;
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

/** A name for a further column. */
function freeName(wanted: string, columns: readonly string[]): string {
  const taken = new Set(columns.map((column) => column.toLowerCase()));
  let name = wanted;
  for (let number = 2; taken.has(name); number += 1) name = `${wanted}_${number}`;
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
  const former =
    ids?.areIntegers === false
      ? freeName(
          "former_id",
          present.map(({ name: column }) => column),
        )
      : undefined;
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
