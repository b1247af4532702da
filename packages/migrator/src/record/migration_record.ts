import type { Database } from "@perdura/internals/sqlite/open_database.js";
import type { MetricsTable } from "../databases/metrics_table.ts";
import { VERSION } from "../version.ts";
import { type Snapshot, snapshotOf } from "./snapshot.ts";

/** The table in which a migrated database tells what it was; the way back reads it. */
export const RECORD_TABLE = "perdura_migration";

/** A database as it was before a migration; nothing of this can be found out afterwards. */
export interface Former extends Snapshot {
  user_version: number;
  /** The table that held the interactions, and a second one whose rows were united with it. */
  metrics: MetricsTable | null;
  second: MetricsTable | null;
  /** Names of indexes that the migration built, and of those of the old layout that it dropped. */
  built: string[];
  dropped: string[];
}

/** One migration of a database. */
export interface MigrationRecord {
  /** 1 for the first. */
  number: number;
  /** UTC, ISO 8601. */
  migrated_at: string;
  tool_version: string;
  /** Name of the layout that was found. */
  layout: string;
  fence: "tombstone" | "compat" | null;
  former: Former;
  /** The database as the migration left it: what differs from that is the work of somebody else. */
  result: Snapshot;
}

/** Its columns are fixed: {@link readRecords} reads no other. */
export const RECORD: string = `CREATE TABLE IF NOT EXISTS main.${RECORD_TABLE} (
    number INTEGER PRIMARY KEY,
    migrated_at TEXT NOT NULL,
    tool_version TEXT NOT NULL,
    layout TEXT NOT NULL,
    fence TEXT,
    former TEXT NOT NULL,
    result TEXT NOT NULL
)`;

/** Adds a record; the last step but the mark, in the transaction that changes the database. */
export function addRecord(database: Database, record: Pick<MigrationRecord, "layout" | "fence" | "former">): void {
  database.exec(RECORD);
  database
    .prepare(
      `INSERT INTO main.${RECORD_TABLE} SELECT ifnull(max(number), 0) + 1, ?, ?, ?, ?, ?, ? FROM main.${RECORD_TABLE}`,
    )
    .run(
      new Date().toISOString(),
      VERSION,
      record.layout,
      record.fence,
      JSON.stringify(record.former),
      JSON.stringify(snapshotOf(database)),
    );
}

/** The number of the migration after the last one that a database tells of. */
export function nextNumber(database: Database, schema: "main" | "backup" = "main"): number {
  return (readRecords(database, schema).at(-1)?.number ?? 0) + 1;
}

/** The migrations that a database tells of, oldest first; none where it has no such table, or one of somebody else. */
export function readRecords(database: Database, schema: "main" | "backup" = "main"): MigrationRecord[] {
  const columns = database
    .prepare(`SELECT group_concat(name) FROM pragma_table_xinfo('${RECORD_TABLE}', ?)`)
    .pluck()
    .get(schema);
  if (columns !== "number,migrated_at,tool_version,layout,fence,former,result") return [];
  return (
    database.prepare(`SELECT * FROM ${schema}.${RECORD_TABLE} ORDER BY number`).all() as (Omit<
      MigrationRecord,
      "former" | "result"
    > & { former: string; result: string })[]
  ).map((row) => ({
    ...row,
    former: JSON.parse(row.former) as Former,
    result: JSON.parse(row.result) as Snapshot,
  }));
}
