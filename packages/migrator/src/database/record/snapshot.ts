import { hasTable } from "@perdura/internals/sqlite/catalog.js";
import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { schemaEntries, type SchemaEntry } from "../layouts/catalog.ts";
import { sqlName } from "../sql/sql_text.ts";
import { lastQuarantined } from "./quarantine.ts";

/** What a database consists of beside its rows. */
export interface Snapshot {
  /** Every entry of `sqlite_schema`, in order, text as it stands. */
  objects: SchemaEntry[];
  /** Rows of `sqlite_sequence`; the counters as SQL literals: they may be beyond 2^53, or no integers at all. */
  sequence: { name: string; seq: string }[];
  /** By table, the rows that ANALYZE made, as SQL literals; SQLite throws those of an index away with it. */
  statistics: { [table: string]: string[][] };
  /** The highest row id in the quarantine, as text; null where there is none. */
  quarantined: string | null;
}

/** Reads it through an open connection. */
export function snapshotOf(database: Database): Snapshot {
  const objects = schemaEntries(database);
  return {
    objects,
    sequence: hasTable(database, "sqlite_sequence") ? countersIn(database) : [],
    statistics: Object.fromEntries(
      STATISTICS.filter((table) => hasTable(database, table)).map((table) => [table, literalRows(database, table)]),
    ),
    quarantined: lastQuarantined(database),
  };
}

/** The rows of `sqlite_sequence`, which is there. A text can hold anything, and goes by its bytes. */
export function countersIn(database: Database): Snapshot["sequence"] {
  return database
    .prepare(
      "SELECT name, iif(typeof(seq) = 'text', 'CAST(X''' || hex(seq) || ''' AS TEXT)', quote(seq)) AS seq FROM main.sqlite_sequence ORDER BY rowid",
    )
    .all() as Snapshot["sequence"];
}

const STATISTICS = ["sqlite_stat1", "sqlite_stat4"];

function literalRows(database: Database, table: string): string[][] {
  const columns = database.prepare("SELECT name FROM pragma_table_info(?, 'main')").pluck().all(table) as string[];
  const literals = columns.map((column) => `quote(${sqlName(column)})`).join(", ");
  return database.prepare(`SELECT ${literals} FROM main.${table} ORDER BY rowid`).raw().all() as string[][];
}
