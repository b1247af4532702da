import type { Database } from "@perdura/internals/sqlite/open_database.js";
import type { OtherType } from "@perdura/internals/validity/column_types.js";
import type { InteractionColumns } from "@perdura/internals/validity/interaction_problems.js";
import { Stop } from "../../core/stop.ts";
import { VERSION } from "../../core/version.ts";
import type { SchemaEntry } from "../sql/catalog.ts";
import type { MetricsTable } from "../layouts/metrics_table.ts";
import type { PatternTable } from "../layouts/pattern_tables.ts";
import { QUARANTINE_TABLE } from "./quarantine.ts";
import {
  assertOwnName,
  ASSUMED_LEVELS_TABLE,
  CONVERTED_VALUES_TABLE,
  isOwnTable,
  REPAIRED_VALUES_TABLE,
  MERGED_ROWS_TABLE,
} from "./side_tables.ts";
import { type Snapshot, snapshotOf } from "./snapshot.ts";

/** The table in which a migrated database records its former state, for a downgrade. */
export const RECORD_TABLE = "perdura_migration";

/** A reference of the specification whose table has another name in the file, and does not exist. */
export interface RepairedReference {
  table: string;
  column: string;
  /** The missing table. */
  parent: string;
  /** The table of the specification. */
  specified: string;
}

/** The state of a database before a migration, which cannot be determined afterwards. */
export interface Former extends Snapshot {
  user_version: number;
  /** The table of the interactions, and a second one whose rows were merged into it. */
  metrics: MetricsTable | null;
  second: MetricsTable | null;
  /** Tables of a pattern library whose columns the migration changed. */
  libraries: PatternTable[];
  /** References to missing tables whose name the migration replaced; absent without any. */
  repaired_references?: RepairedReference[];
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
  /** Name of the former layout. */
  layout: string;
  fence: "tombstone" | null;
  former: Former;
  /** The database after the migration: other programs made any later differences. */
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

/** Adds a record; the last step except for the mark, in the transaction that changes the database. */
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

/** True if a migration moved rows or patterns to the quarantine. */
export function quarantines({ former, result }: Pick<MigrationRecord, "former" | "result">): boolean {
  return result.quarantined !== null && former.quarantined !== result.quarantined;
}

/** The number of the next migration, after the last recorded one. */
export function nextNumber(database: Database, schema: "main" | "backup" = "main"): number {
  return (readRecords(database, schema).at(-1)?.number ?? 0) + 1;
}

const OWN = {
  name: RECORD_TABLE,
  columns: "number,migrated_at,tool_version,layout,fence,former,result",
  purpose: "the record of the migration",
};

/** @throws Stop if an object with the name of the table was not made by perdura-migrate. */
export function assertRecordNameIsOurs(database: Database): void {
  assertOwnName(database, OWN);
}

/**
 * The recorded migrations, oldest first; empty if the database has no such table, or a foreign one.
 *
 * @throws DamagedRecord if the table contains invalid records.
 */
export function readRecords(database: Database, schema: "main" | "backup" = "main"): MigrationRecord[] {
  if (!isOwnTable(database, OWN, schema)) return [];
  const rows = database.prepare(`SELECT * FROM ${schema}.${RECORD_TABLE} ORDER BY number`).all() as Stored[];
  return rows.map(recordOf);
}

/** A row from SQLite: every column can have any value. */
type Stored = Record<keyof MigrationRecord, unknown>;

const FENCES: unknown[] = ["tombstone", null] satisfies MigrationRecord["fence"][];

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
  if (wrong !== undefined) throw damaged(row, `the column ${wrong[0]} has an invalid value`);
  return record as MigrationRecord;
}

function parsed(row: Stored, column: "former" | "result"): unknown {
  try {
    return JSON.parse(String(row[column]));
  } catch (error) {
    throw damaged(row, `the column ${column} is not valid JSON`, error);
  }
}

function damaged({ number }: Stored, found: string, cause?: unknown): DamagedRecord {
  return new DamagedRecord(RECORD_TABLE, `in row ${String(number)}, ${found}`, cause);
}

/** Checks all used parts of a record, because it may have been manipulated through the file. */
function isFormer(value: unknown): value is Former {
  return (
    isSnapshot(value) &&
    holds(value, "user_version", Number.isSafeInteger) &&
    holds(value, "metrics", orNull(isMetricsTable)) &&
    holds(value, "second", orNull(isMetricsTable)) &&
    holds(value, "libraries", listOf(isPatternTable)) &&
    holds(value, "repaired_references", orAbsent(listOf(isRepairedReference))) &&
    holds(value, "built", listOf(isText)) &&
    holds(value, "dropped", listOf(isText))
  );
}

/** Checks the parsed state of a database. */
function isSnapshot(value: unknown): value is Snapshot {
  return (
    holds(value, "objects", listOf(isEntry)) &&
    holds(value, "sequence", listOf(isCounter)) &&
    holds(value, "quarantined", orNull(isWholeNumber))
  );
}

type Check = (value: unknown) => boolean;

function holds(value: unknown, key: string, check: Check): boolean {
  return typeof value === "object" && value !== null && check((value as Record<string, unknown>)[key]);
}

function listOf(check: Check): Check {
  return (value) => Array.isArray(value) && value.every(check);
}

function orNull(check: Check): Check {
  return (value) => value === null || check(value);
}

function orAbsent(check: Check): Check {
  return (value) => value === undefined || check(value);
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function isWholeNumber(value: unknown): boolean {
  return isText(value) && /^-?\d+$/.test(value);
}

function isEntry(value: unknown): value is SchemaEntry {
  const types: unknown[] = ["table", "index", "view", "trigger"] satisfies SchemaEntry["type"][];
  return (
    holds(value, "type", (type) => types.includes(type)) &&
    holds(value, "name", isText) &&
    holds(value, "table", isText) &&
    holds(value, "sql", orNull(isText))
  );
}

function isMetricsTable(value: unknown): value is MetricsTable {
  return (
    holds(value, "name", isText) &&
    holds(value, "columns", listOf(isText)) &&
    holds(value, "names", areNames) &&
    holds(value, "sideTable", (there) => typeof there === "boolean") &&
    holds(value, "otherTypes", listOf(isOtherType))
  );
}

function areNames(value: unknown): value is InteractionColumns {
  const required: (keyof InteractionColumns)[] = ["user_id", "success", "response_time_ms", "timestamp"];
  const optional: (keyof InteractionColumns)[] = ["level", "metadata"];
  return (
    required.every((column) => holds(value, column, isText)) &&
    optional.every((column) => holds(value, column, orNull(isText)))
  );
}

function isPatternTable(value: unknown): value is PatternTable {
  const names: unknown[] = ["patterns", "pattern_usage"] satisfies PatternTable["name"][];
  const isWord = (part: unknown): boolean => isText(part) && /^[\w.]+$/.test(part);
  const isMissing = (column: unknown): boolean =>
    holds(column, "name", isWord) && holds(column, "type", isWord) && holds(column, "default", isWord);
  return (
    holds(value, "name", (name) => names.includes(name)) &&
    holds(value, "otherTypes", listOf(isOtherType)) &&
    holds(value, "missing", listOf(isMissing))
  );
}

function isRepairedReference(value: unknown): value is RepairedReference {
  const parts: (keyof RepairedReference)[] = ["table", "column", "parent", "specified"];
  return parts.every((part) => holds(value, part, isText));
}

function isOtherType(value: unknown): value is OtherType {
  const affinities: unknown[] = ["INTEGER", "TEXT", "BLOB", "REAL", "NUMERIC"] satisfies OtherType["affinity"][];
  const kinds: unknown[] = ["text", "integer", "boolean", "real"] satisfies OtherType["kind"][];
  return (
    holds(value, "column", isText) &&
    holds(value, "declared", isText) &&
    holds(value, "specified", isText) &&
    holds(value, "affinity", (affinity) => affinities.includes(affinity)) &&
    holds(value, "kind", (kind) => kinds.includes(kind))
  );
}

function isCounter(value: unknown): boolean {
  return holds(value, "name", isText) && holds(value, "seq", isText);
}

/** A table in which perdura-migrate records its migrations is damaged; no decision of the operator can repair that. */
export class DamagedRecord extends Stop {
  /** @param found Description of the fault. */
  constructor(table: string, found: string, cause?: unknown) {
    super(
      "failed",
      `The table ${table}, which records the migrations of this database, is damaged: ${found}. A downgrade is not possible without it. Restore the table from a copy of this database, or use the backup from before the migration.`,
      cause,
    );
    this.name = "DamagedRecord";
  }
}

/** The tables that `up` adds, and that a downgrade removes. */
export const OWN_TABLES: ReadonlySet<string> = new Set([
  QUARANTINE_TABLE,
  RECORD_TABLE,
  ASSUMED_LEVELS_TABLE,
  MERGED_ROWS_TABLE,
  REPAIRED_VALUES_TABLE,
  CONVERTED_VALUES_TABLE,
]);
