import { ADDITIONAL_OBJECTS } from "./additional_objects.ts";
import { TABLE_REPLACEMENTS, replaceTable } from "./table_replacements.ts";
import type { Family } from "./models.ts";

/** Tables that each reader looks for, including its own optional ones. */
const TABLES: Record<Family, readonly string[]> = {
  patterns: ["patterns", "pattern_usage"],
  "metrics of 15": ["interactions", "interaction_metadata", "perdura_rollup", "perdura_user_rollup", "metrics"],
  "metrics of 16": ["interactions", "interaction_metadata", "perdura_stale_users", "sqlite_sequence", "metrics"],
  legacy: [
    "metrics",
    "interactions",
    "patterns",
    "interaction_metadata",
    "metrics_new",
    "perdura_migrations",
    "perdura_migration",
    "perdura_quarantine",
    "perdura_kept_levels",
    "perdura_rollup",
    "sqlite_stat1",
  ],
  archives: ["sqlar", "entries", "directory", "states"],
};

/** All hostile schemas for a kind of file, by description. */
export function hostileSchemas(family: Family): Record<string, (path: string) => void> {
  const tables = TABLES[family];
  const instead = Object.entries(TABLE_REPLACEMENTS).flatMap(([what, made]) =>
    tables.map((table) => [`${what} as ${table}`, (path: string) => replaceTable(path, table, made(table))] as const),
  );
  const others = Object.entries(ADDITIONAL_OBJECTS).map(
    ([what, make]) => [what, (path: string) => make(path, tables.slice(0, 2))] as const,
  );
  return Object.fromEntries([...instead, ...others]);
}
