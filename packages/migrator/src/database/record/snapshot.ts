import { hasTable } from "@perdura/internals/sqlite/catalog.js";
import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { schemaEntries, type SchemaEntry } from "../layouts/catalog.ts";
import { sqlName } from "../sql/sql_text.ts";
import { lastQuarantined } from "./quarantine.ts";

/** The parts of a database other than its rows. */
export interface Snapshot {
  /** All entries of `sqlite_schema`, in order, with verbatim text. */
  objects: SchemaEntry[];
  /** Rows of `sqlite_sequence`; the counters as SQL literals: they may exceed 2^53, or not be integers. */
  sequence: { name: string; seq: string }[];
  /** The rows of ANALYZE as SQL literals, keyed by table; SQLite drops those of an index with it. */
  statistics: { [table: string]: string[][] };
  /** The highest row id in the quarantine, as text; null if it does not exist. */
  quarantined: string | null;
}

/** Reads the state of a database through an open connection. */
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

/** The rows of `sqlite_sequence`, which must exist. A text can have any content, so it is read as bytes. */
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
