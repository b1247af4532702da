import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { sqlName } from "@perdura/internals/text/quoted_sql.js";
import { DamagedRecord, type MigrationRecord } from "../record/migration_record.ts";
import { RECORD_TABLE } from "../record/side_tables.ts";
import type { Snapshot } from "../record/snapshot.ts";
import type { Step } from "../steps/step.ts";
import type { FormerState } from "./former_state.ts";

/** A row for `sqlite_sequence`, with its value as an SQL literal. */
export interface Counter {
  name: string;
  value: string;
  /** The table whose highest id is a lower bound of the value; null if the value is restored exactly. */
  above: string | null;
}

/**
 * The counters of the restored tables: as recorded, or the present ones if programs of 16 have used ids since, so that
 * no id is given twice. A table can have several counters, of which SQLite uses the first.
 *
 * @param now The present counters.
 */
export function countersOf(
  { records, index: base, former, metrics, second }: FormerState,
  now: Snapshot["sequence"],
): Counter[] {
  if (metrics === null) return [];
  const left = rowsOf((records[base] as MigrationRecord).result.sequence, "interactions");
  const current = rowsOf(now, "interactions");
  const before = rowsOf(former.sequence, metrics.name);
  const isUnused = current.map(({ seq }) => seq).join() === left.map(({ seq }) => seq).join();
  return [
    ...(isUnused ? before : current).map(({ seq }, index): Counter => ({
      name: before[index]?.name ?? metrics.name,
      value: seq,
      above: isUnused || index > 0 ? null : metrics.name,
    })),
    ...(second === null ? [] : rowsOf(former.sequence, second.name)).map(({ name, seq }): Counter => ({
      name,
      value: seq,
      above: null,
    })),
  ];
}

/** The counters of one table, in order. */
export function rowsOf<Row extends { name: string }>(sequence: readonly Row[], table: string): Row[] {
  return sequence.filter(({ name }) => name.toLowerCase() === table.toLowerCase());
}

/** Writes the counters of the restored tables. Those of other tables stay unchanged. */
export function countersStep({ metrics, second }: FormerState, counters: readonly Counter[]): Step {
  assertLiterals(counters.map(({ value }) => value));
  return {
    title: "restore the row id counters",
    run: (database) => {
      const values = counters.map(({ value, above }) => (above === null ? value : highest(database, above, value)));
      const remove = database.prepare("DELETE FROM main.sqlite_sequence WHERE name = ? COLLATE NOCASE");
      for (const table of [metrics, second]) if (table !== null) remove.run(table.name);
      for (const [index, { name }] of counters.entries())
        database.prepare(`INSERT INTO main.sqlite_sequence VALUES (?, ${values[index]})`).run(name);
    },
  };
}

/** The counter must not be below an id from the quarantine, which may be higher than all others. */
function highest(database: Database, table: string, value: string): string {
  return database
    .prepare(
      `SELECT CAST(max(ifnull(CAST(${value} AS INTEGER), 0), ifnull(max(id), 0)) AS TEXT) FROM main.${sqlName(table)}`,
    )
    .pluck()
    .get() as string;
}

const LITERAL = /^(?:NULL|-?[\d.e+-]+|X?'(?:[^']|'')*'|CAST\(X'[\dA-F]*' AS TEXT\))$/i;

/** @throws DamagedRecord unless these are literals, as a migration records values: they become part of a statement. */
function assertLiterals(values: readonly string[]): void {
  if (!values.every((value) => LITERAL.test(value)))
    throw new DamagedRecord(RECORD_TABLE, "one of its values is not an SQL literal");
}
