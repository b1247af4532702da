import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { QUARANTINE_TABLE, quarantineColumns } from "../databases/quarantine_table.ts";
import { RECORD, RECORD_TABLE } from "../record/migration_record.ts";
import { PATTERN_TABLES, quarantineOf } from "../patterns/pattern_steps.ts";
import {
  ASSUMED_LEVELS,
  ASSUMED_LEVELS_TABLE,
  REPAIRED_VALUES,
  REPAIRED_VALUES_TABLE,
  UNITED_ROWS,
  UNITED_ROWS_TABLE,
} from "../record/side_tables.ts";
import { Stop } from "../core/stop.ts";
import { SIDE_TABLE } from "./names.ts";
import type { OldForm } from "./old_form.ts";
import { columnsByText } from "./recorded_columns.ts";

/**
 * Tables of the migration go with all that is in them: a column that somebody added would go along.
 *
 * @throws Stop naming such a column.
 */
export function assertOwnColumns(database: Database, form: OldForm): void {
  const before = new Set(form.records[0]?.former.objects.map(({ name }) => name.toLowerCase()));
  const own: [table: string, columns: readonly string[]][] = [
    ...(losesSideRows(form) ? [[SIDE_TABLE, ["interaction_id", "metadata"]] satisfies [string, string[]]] : []),
    [QUARANTINE_TABLE, columnsForRows(form)],
    ...[RECORD_TABLE, ASSUMED_LEVELS_TABLE, UNITED_ROWS_TABLE, REPAIRED_VALUES_TABLE]
      .filter((table) => !before.has(table))
      .map((table): [string, string[]] => [table, madeColumns(table)]),
  ];
  for (const [table, columns] of own) assertNoMore(database, table, columns);
}

/** @throws Stop when the records of migrations cannot be read because their table has more columns than they need. */
export function assertRecordsReadable(database: Database): void {
  const columns = columnsOf(database, RECORD_TABLE);
  if (madeColumns(RECORD_TABLE).every((column) => columns.includes(column)))
    assertNoMore(database, RECORD_TABLE, madeColumns(RECORD_TABLE));
}

function assertNoMore(database: Database, table: string, expected: readonly string[]): void {
  const known = new Set(expected.map((column) => column.toLowerCase()));
  const added = columnsOf(database, table).find((column) => !known.has(column.toLowerCase()));
  if (added !== undefined)
    throw new Stop(
      "refused",
      `The column ${added} of ${table} was added or renamed since the migration, and the way back takes rows of that table away. Move what it holds elsewhere and drop it, or stay with version 16.`,
    );
}

/** A side table that was there before, and whose rows have no column to go into, stays whole. */
function losesSideRows({ metrics, second, rebuilds, hadSideTable }: OldForm): boolean {
  return metrics !== null && (!hadSideTable || rebuilds || second !== null);
}

/** What `up` calls the columns of the quarantine, and what an earlier way back left in it. */
function columnsForRows({ records }: OldForm): string[] {
  const left = records[0]?.former.objects.find(({ name }) => name.toLowerCase() === QUARANTINE_TABLE);
  const tables = records.flatMap(({ former: { metrics, second } }) => [metrics, second]);
  return [
    ...columnsByText([], left),
    ...tables.flatMap((table) => {
      if (table === null) return [];
      const { source, reason, metadata, row } = quarantineColumns(table);
      return [source, reason, metadata, ...row];
    }),
    ...PATTERN_TABLES.flatMap((name) => {
      const entry = records[0]?.former.objects.find((object) => object.type === "table" && object.name === name);
      const columns = columnsByText([], entry);
      const { source, reason, row } = quarantineOf(columns);
      return entry === undefined ? [] : [source, reason, row, ...columns];
    }),
  ];
}

const TEXTS: Readonly<Record<string, string>> = {
  [RECORD_TABLE]: RECORD,
  [ASSUMED_LEVELS_TABLE]: ASSUMED_LEVELS,
  [UNITED_ROWS_TABLE]: UNITED_ROWS,
  [REPAIRED_VALUES_TABLE]: REPAIRED_VALUES,
};

function madeColumns(table: string): string[] {
  return columnsByText([], { type: "table", name: table, table, sql: TEXTS[table] ?? null });
}

function columnsOf(database: Database, table: string): string[] {
  return database.prepare("SELECT name FROM pragma_table_xinfo(?, 'main')").pluck().all(table) as string[];
}
