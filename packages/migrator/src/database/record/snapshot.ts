import { hasTable } from "@perdura/internals/sqlite/catalog.js";
import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { schemaEntries, type SchemaEntry } from "../sql/catalog.ts";
import { lastQuarantined } from "./quarantine.ts";

/** The parts of a database other than its rows. */
export interface Snapshot {
  /** All entries of `sqlite_schema`, in order, with verbatim text. */
  objects: SchemaEntry[];
  /** Rows of `sqlite_sequence`; the counters as SQL literals: they may exceed 2^53, or not be integers. */
  sequence: { name: string; seq: string }[];
  /** The highest row id in the quarantine, as text; null if it does not exist. */
  quarantined: string | null;
}

/** Reads the state of a database through an open connection. */
export function snapshotOf(database: Database): Snapshot {
  const objects = schemaEntries(database);
  return {
    objects,
    sequence: hasTable(database, "sqlite_sequence") ? countersIn(database) : [],
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
