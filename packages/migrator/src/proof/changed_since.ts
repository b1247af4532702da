import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { INTERACTION_INDEXES } from "@perdura/internals/metrics/schema.js";
import type { SchemaEntry } from "../recognise/catalog.ts";
import { readRecords } from "../record/migration_record.ts";

/** What a migrated database no longer has of what its migration left, although every row is there. */
export interface ChangedSince {
  /** Without it there is no way back but the backup. */
  recordIsGone: boolean;
  /** Indexes, views, triggers and tables that somebody dropped or made anew since, in words. */
  notes: string[];
}

/** Compares the schema of a database with what its last migration noted in it. */
export function changedSince(database: Database): ChangedSince {
  const last = readRecords(database).at(-1);
  if (last === undefined) return { recordIsGone: true, notes: [] };
  const now = new Map(entriesIn(database).map((entry) => [keyOf(entry), entry.sql]));
  const was = last.result.objects.filter(({ name }) => !name.startsWith("sqlite_"));
  const gone = was.filter((entry) => !now.has(keyOf(entry)));
  const other = was.filter((entry) => now.has(keyOf(entry)) && now.get(keyOf(entry)) !== entry.sql);
  return {
    recordIsGone: false,
    notes: [
      ...(gone.length === 0 ? [] : [`gone since the migration: ${gone.map(nameOf).join(", ")}${advice(gone)}`]),
      ...(other.length === 0 ? [] : [`another one since the migration: ${other.map(nameOf).join(", ")}`]),
    ],
  };
}

function advice(gone: readonly SchemaEntry[]): string {
  return gone.some(({ name }) => name in INTERACTION_INDEXES) ? "; up builds the specified indexes again" : "";
}

const keyOf = ({ type, name }: Pick<SchemaEntry, "type" | "name">): string => `${type} ${name.toLowerCase()}`;

const nameOf = ({ type, name }: SchemaEntry): string => `the ${type} ${name}`;

function entriesIn(database: Database): SchemaEntry[] {
  return database.prepare('SELECT type, name, tbl_name AS "table", sql FROM main.sqlite_schema').all() as SchemaEntry[];
}
