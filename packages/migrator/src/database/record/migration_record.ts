import type { Database } from "@perdura/internals/sqlite/open_database.js";
import type { OtherType } from "@perdura/internals/validity/column_types.js";
import type { InteractionColumns } from "@perdura/internals/validity/interaction_problems.js";
import { Stop } from "../../core/stop.ts";
import { VERSION } from "../../core/version.ts";
import type { SchemaEntry } from "../sql/catalog.ts";
import type { MetricsTable } from "../layouts/metrics_table.ts";
import type { MissingColumn, PatternTable } from "../layouts/pattern_tables.ts";
import { hasOwn, RECORD, RECORD_TABLE } from "./side_tables.ts";
import { type Snapshot, snapshotOf } from "./snapshot.ts";

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

/** Adds a record; the last step except for the mark, in the transaction that changes the database. */
export function addRecord(database: Database, record: Pick<MigrationRecord, "layout" | "fence" | "former">): void {
  database.exec(RECORD.create);
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

/**
 * SQL that is true for the rows that a migration moved to the quarantine, for an alias of it.
 *
 * @param rowId The name of its row ids.
 * @returns Undefined if there was no quarantine.
 */
export function quarantinedBy(
  { former, result }: Pick<MigrationRecord, "former" | "result">,
  rowId: string,
): ((row: string) => string) | undefined {
  if (result.quarantined === null) return undefined;
  // Numbers: no other text may become part of a statement.
  const [after, until] = [BigInt(former.quarantined ?? "0"), BigInt(result.quarantined)];
  return (row) => `${row}.${rowId} > ${after} AND ${row}.${rowId} <= ${until}`;
}

/** The number of the next migration, after the last recorded one. */
export function nextNumber(database: Database, schema: "main" | "backup" = "main"): number {
  return (readRecords(database, schema).at(-1)?.number ?? 0) + 1;
}

/**
 * The recorded migrations, oldest first; empty if the database has no such table, or a foreign one.
 *
 * @throws DamagedRecord if the table contains invalid records.
 */
export function readRecords(database: Database, schema: "main" | "backup" = "main"): MigrationRecord[] {
  if (!hasOwn(database, RECORD, schema)) return [];
  const rows = database.prepare(`SELECT * FROM ${schema}.${RECORD_TABLE} ORDER BY number`).all() as Stored[];
  return rows.map(recordOf);
}

/** A row from SQLite: every column can have any value. */
type Stored = Record<keyof MigrationRecord, unknown>;

function recordOf(row: Stored): MigrationRecord {
  const record = { ...row, former: parsed(row, "former"), result: parsed(row, "result") };
  const wrong = Object.entries(COLUMNS).find(([column, isRight]) => !isRight(record[column as keyof Stored]));
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

type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === "string";
const isBoolean: Check = (value) => typeof value === "boolean";
const isWholeNumber: Check = (value) => isText(value) && /^-?\d+$/.test(value as string);
/** Text that becomes part of a statement without quotes. */
const isWord: Check = (value) => isText(value) && /^[\w.]+$/.test(value as string);

function oneOf<Value>(...values: readonly Value[]): Check {
  return (value) => (values as readonly unknown[]).includes(value);
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

/** An object with these properties. */
function objectWith<Value>(checks: Record<keyof Value, Check>): Check {
  return (value) =>
    typeof value === "object" &&
    value !== null &&
    Object.entries<Check>(checks).every(([key, check]) => check((value as Record<string, unknown>)[key]));
}

const isOtherType = objectWith<OtherType>({
  column: isText,
  declared: isText,
  specified: isText,
  affinity: oneOf<OtherType["affinity"]>("INTEGER", "TEXT", "BLOB", "REAL", "NUMERIC"),
  kind: oneOf<OtherType["kind"]>("text", "integer", "boolean", "real"),
});

const isMetricsTable = objectWith<MetricsTable>({
  name: isText,
  columns: listOf(isText),
  names: objectWith<InteractionColumns>({
    user_id: isText,
    level: orNull(isText),
    success: isText,
    response_time_ms: isText,
    timestamp: isText,
    metadata: orNull(isText),
  }),
  sideTable: isBoolean,
  otherTypes: listOf(isOtherType),
});

const isPatternTable = objectWith<PatternTable>({
  name: oneOf<PatternTable["name"]>("patterns", "pattern_usage"),
  otherTypes: listOf(isOtherType),
  missing: listOf(objectWith<MissingColumn>({ name: isWord, type: isWord, default: isWord })),
});

const SNAPSHOT: Record<keyof Snapshot, Check> = {
  objects: listOf(
    objectWith<SchemaEntry>({
      type: oneOf<SchemaEntry["type"]>("table", "index", "view", "trigger"),
      name: isText,
      table: isText,
      sql: orNull(isText),
    }),
  ),
  sequence: listOf(objectWith<Snapshot["sequence"][number]>({ name: isText, seq: isText })),
  quarantined: orNull(isWholeNumber),
};

/** Checks of all used parts of a record, because it may have been manipulated through the file. */
const COLUMNS: Record<Exclude<keyof MigrationRecord, "number">, Check> = {
  migrated_at: isText,
  tool_version: isText,
  layout: isText,
  fence: oneOf<MigrationRecord["fence"]>("tombstone", null),
  former: objectWith<Former>({
    ...SNAPSHOT,
    user_version: Number.isSafeInteger,
    metrics: orNull(isMetricsTable),
    second: orNull(isMetricsTable),
    libraries: listOf(isPatternTable),
    repaired_references: orAbsent(
      listOf(objectWith<RepairedReference>({ table: isText, column: isText, parent: isText, specified: isText })),
    ),
    built: listOf(isText),
    dropped: listOf(isText),
  }),
  result: objectWith<Snapshot>(SNAPSHOT),
};

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
