import { nearMiss } from "@perdura/internals/text/near_miss.js";
import { sqlName } from "@perdura/internals/text/quoted_sql.js";
import { sqlNames } from "../sql/sql_text.ts";
import { type Catalog, entryNamed } from "./catalog.ts";

/** The columns of the known layouts by table, with the types of new ones. */
const COLUMNS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  interactions: {
    id: "INTEGER PRIMARY KEY AUTOINCREMENT",
    user_id: "TEXT NOT NULL",
    level: "INTEGER NOT NULL",
    success: "BOOLEAN NOT NULL",
    response_time_ms: "REAL",
    timestamp: "TIMESTAMP DEFAULT CURRENT_TIMESTAMP",
  },
  metrics: {
    id: "INTEGER PRIMARY KEY AUTOINCREMENT",
    user_id: "TEXT NOT NULL",
    empathy_level: "INTEGER NOT NULL",
    success: "BOOLEAN NOT NULL",
    response_time_ms: "REAL",
    timestamp: "TIMESTAMP DEFAULT CURRENT_TIMESTAMP",
    metadata: "TEXT",
  },
};

/** Columns that a known layout may lack. */
const OPTIONAL: ReadonlySet<string> = new Set(["metadata"]);

/** The columns by which a table differs from the known layouts, each with a way to correct it. */
export function differencesOf(catalog: Catalog, table: string): string[] {
  const present = catalog.columns.get(table) ?? [];
  const names = present.map(({ name }) => name);
  const lower = names.map((name) => name.toLowerCase());
  const has = (column: string): boolean => lower.includes(column);
  const computed = catalog.computed.get(table) ?? [];
  const both = has("level") && has("empathy_level");
  // Each of the two is right in one layout of `interactions`.
  const known = Object.entries(COLUMNS[table] ?? {}).filter(
    ([column]) => !(table === "interactions" && column === "level" && has("empathy_level")),
  );
  const isKnown = (column: string): boolean => known.some(([name]) => name === column) || column === "empathy_level";
  const others = names.filter((name) => !isKnown(name.toLowerCase()));
  return [
    ...known.flatMap(([column, type]): string[] => {
      if (computed.includes(column))
        return [
          `${column} is a generated column (expected stored values: add a column, copy the values to it, drop the generated one, and rename the new one)`,
        ];
      if (column === "id") return differenceOfId(catalog, table);
      if (has(column) || OPTIONAL.has(column)) return [];
      const meant = others.find((name) => nearMiss(name, [column]) === column);
      if (meant !== undefined)
        return [
          `${column} is missing, but there is a column ${meant} (ALTER TABLE ${table} RENAME COLUMN ${sqlName(meant)} TO ${column};)`,
        ];
      const added = type.replace(/ NOT NULL| DEFAULT .*/, "");
      return [`${column} is missing (ALTER TABLE ${table} ADD COLUMN ${column} ${added}; and set its values)`];
    }),
    ...(both ? ["it has both level and empathy_level (drop or rename the one that is not used)"] : []),
    ...(!both && table === "metrics" && has("level")
      ? [
          "the levels are in a column level (expected empathy_level: ALTER TABLE metrics RENAME COLUMN level TO empathy_level;)",
        ]
      : []),
    ...(computed.includes("level") && table === "metrics" ? ["level is a generated column"] : []),
  ];
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

/** Statements that give a table its primary key. Columns of the user stay, except for generated ones. */
export function rebuildStatements(catalog: Catalog, table: string): string {
  const present = catalog.columns.get(table.toLowerCase()) ?? [];
  const kept = present.filter(({ name }) => name.toLowerCase() !== "id");
  const hasId = kept.length < present.length;
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
  const columns = sqlNames(kept.map((column) => column.name));
  return `PRAGMA foreign_keys = OFF; BEGIN; CREATE TABLE ${sqlName(rebuilt)} (id INTEGER PRIMARY KEY AUTOINCREMENT, ${definitions.join(", ")}); INSERT INTO ${sqlName(rebuilt)} (id, ${columns}) SELECT ${hasId ? "id" : "rowid"}, ${columns} FROM ${name} ORDER BY 1; DROP TABLE ${name}; ALTER TABLE ${sqlName(rebuilt)} RENAME TO ${name}; COMMIT; then create the indexes and triggers of the table again`;
}
