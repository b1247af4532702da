import { type Database, openDatabase } from "@perdura/internals/sqlite/open_database.js";
import { changeSchemaText } from "../sql/schema_text.ts";
import { inSingleQuotes } from "../sql/tokens.ts";
import type { Catalog, SchemaEntry } from "../layouts/catalog.ts";

/**
 * An empty database in memory with the same schema, text by text. What cannot be built there (an extension's table) is
 * left out. The caller closes it.
 */
export function buildTwin({ entries }: Catalog): Database {
  const twin = openDatabase(":memory:", { access: "create" });
  twin.pragma("foreign_keys = OFF");
  // Tables first: what depends on them comes in whatever order.
  for (const entry of [
    ...entries.filter(({ type }) => type === "table"),
    ...entries.filter(({ type }) => type !== "table"),
  ])
    if (!entry.name.startsWith("sqlite_")) build(twin, entry);
  return twin;
}

function build(twin: Database, { type, name, sql }: SchemaEntry): void {
  if (sql === null || !execute(twin, sql)) return;
  const text = twin.prepare("SELECT sql FROM main.sqlite_schema WHERE type = ? AND name = ?").pluck();
  const built = text.get(type, name) as string | undefined;
  if (built !== undefined && built !== sql) changeSchemaText(twin, [{ type, name, from: built, to: sql }]);
}

/** False where it cannot be built: a shadow table that its virtual table made already, an unknown extension. */
function execute(twin: Database, sql: string): boolean {
  try {
    twin.exec(sql);
    return true;
  } catch (error) {
    const repaired = inSingleQuotes(sql, (error as Error).message, (column) => isColumn(twin, column));
    return repaired !== undefined && execute(twin, repaired);
  }
}

/** True when some table has a column of that name. */
export function isColumn(database: Database, name: string): boolean {
  const found = database
    .prepare(
      "SELECT 1 FROM main.sqlite_schema AS s, pragma_table_xinfo(s.name, 'main') AS c WHERE s.type = 'table' AND c.name = ? COLLATE NOCASE",
    )
    .get(name);
  return found !== undefined;
}
