import { lacksCollation } from "@perdura/internals/sqlite/collations.js";
import { type Database, openDatabase } from "@perdura/internals/sqlite/open_database.js";
import type { Catalog, SchemaEntry } from "./catalog.ts";
import { changeSchemaText } from "./schema_text.ts";
import { inSingleQuotes, withKnownCollations } from "./sql_text.ts";

/**
 * An empty database in memory with the same schema texts. Objects that cannot be built there (an extension's table) are
 * left out. The caller closes it.
 */
export function buildReplica({ entries }: Catalog): Database {
  const replica = openDatabase(":memory:", { intent: "record" });
  replica.pragma("foreign_keys = OFF");
  // Tables first, because other objects depend on them.
  for (const entry of [
    ...entries.filter(({ type }) => type === "table"),
    ...entries.filter(({ type }) => type !== "table"),
  ])
    if (!entry.name.startsWith("sqlite_")) build(replica, entry);
  return replica;
}

function build(replica: Database, { type, name, sql }: SchemaEntry): void {
  if (sql === null || !execute(replica, sql)) return;
  const text = replica.prepare("SELECT sql FROM main.sqlite_schema WHERE type = ? AND name = ?").pluck();
  const built = text.get(type, name) as string | undefined;
  if (built !== undefined && built !== sql) changeSchemaText(replica, [{ type, name, from: built, to: sql }]);
}

/** Returns false if it cannot be built: a shadow table that its virtual table already made, or an unknown extension. */
function execute(replica: Database, sql: string): boolean {
  try {
    replica.exec(sql);
    return true;
  } catch (error) {
    const repaired = lacksCollation(error)
      ? withKnownCollations(sql)
      : inSingleQuotes(sql, (error as Error).message, (column) => isColumn(replica, column));
    return repaired !== undefined && execute(replica, repaired);
  }
}

/** True if a table has a column of that name. */
export function isColumn(database: Database, name: string): boolean {
  const found = database
    .prepare(
      "SELECT 1 FROM main.sqlite_schema AS s, pragma_table_xinfo(s.name, 'main') AS c WHERE s.type = 'table' AND c.name = ? COLLATE NOCASE",
    )
    .get(name);
  return found !== undefined;
}
