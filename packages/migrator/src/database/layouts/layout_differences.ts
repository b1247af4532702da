import { nearMiss } from "@perdura/internals/text/near_miss.js";
import { sqlName } from "@perdura/internals/text/quoted_sql.js";
import type { InteractionColumns } from "@perdura/internals/validity/interaction_problems.js";
import { type Catalog, freeName } from "../sql/catalog.ts";
import { rebuildMetricsTable } from "./rebuild_metrics_table.ts";
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
  return [`id ${found} (expected INTEGER PRIMARY KEY: ${rebuildMetricsTable(catalog, table)})`];
}
