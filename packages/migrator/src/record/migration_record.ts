import type { Database } from "@perdura/internals/sqlite/open_database.js";
import type { MetricsTable } from "../databases/metrics_table.ts";
import { VERSION } from "../core/version.ts";
import { DamagedRecord } from "./damaged_record.ts";
import { assertOwnName, isOwnTable } from "./own_name.ts";
import { isFormer, isSnapshot } from "./record_shape.ts";
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

const OWN = {
  name: RECORD_TABLE,
  columns: "number,migrated_at,tool_version,layout,fence,former,result",
  purpose: "the record of the migration",
};

/** @throws Stop when the name of the table belongs to something that perdura-migrate did not make. */
export function assertRecordNameIsOurs(database: Database): void {
  assertOwnName(database, OWN);
}

/**
 * The migrations that a database tells of, oldest first; none where it has no such table, or one of somebody else.
 *
 * @throws DamagedRecord when the table holds anything but such records.
 */
export function readRecords(database: Database, schema: "main" | "backup" = "main"): MigrationRecord[] {
  if (!isOwnTable(database, OWN, schema)) return [];
  const rows = database.prepare(`SELECT * FROM ${schema}.${RECORD_TABLE} ORDER BY number`).all() as Stored[];
  return rows.map(recordOf);
}

/** As SQLite gives it: every column can hold anything. */
type Stored = Record<keyof MigrationRecord, unknown>;

const FENCES: unknown[] = ["tombstone", "compat", null] satisfies MigrationRecord["fence"][];

function recordOf(row: Stored): MigrationRecord {
  const record = { ...row, former: parsed(row, "former"), result: parsed(row, "result") };
  const wrong = Object.entries({
    migrated_at: isText,
    tool_version: isText,
    layout: isText,
    fence: (value: unknown) => FENCES.includes(value),
    former: isFormer,
    result: isSnapshot,
  }).find(([column, isRight]) => !isRight(record[column as keyof Stored]));
  if (wrong !== undefined) throw damaged(row, `the column ${wrong[0]} does not hold what a migration records there`);
  return record as MigrationRecord;
}

function parsed(row: Stored, column: "former" | "result"): unknown {
  try {
    return JSON.parse(String(row[column]));
  } catch (error) {
    throw damaged(row, `the column ${column} holds no JSON`, error);
  }
}

function damaged({ number }: Stored, found: string, cause?: unknown): DamagedRecord {
  return new DamagedRecord(RECORD_TABLE, `in its row of the number ${String(number)} ${found}`, cause);
}

function isText(value: unknown): boolean {
  return typeof value === "string";
}
