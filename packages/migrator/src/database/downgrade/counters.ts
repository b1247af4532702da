import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { DamagedRecord, type MigrationRecord, RECORD_TABLE } from "../record/migration_record.ts";
import type { Snapshot } from "../record/snapshot.ts";
import { sqlName } from "../sql/sql_text.ts";
import type { Step } from "../step.ts";
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

/** Writes the counters in their former order. Those of other tables stay unchanged. */
export function countersStep({ former, metrics, second }: FormerState, counters: readonly Counter[]): Step {
  const own = [metrics, second].flatMap((table) => (table === null ? [] : [table.name.toLowerCase()]));
  assertLiterals(counters.map(({ value }) => value));
  return {
    title: "restore the row id counters",
    run: (database) => {
      const places = new Map(former.sequence.map(({ name }, place) => [name, place]));
      const copy = "temp.perdura_counters";
      database.exec(`CREATE TABLE ${copy} (place, name, seq)`);
      const others = database.prepare("SELECT rowid, name FROM main.sqlite_sequence ORDER BY rowid").all() as {
        rowid: number;
        name: string;
      }[];
      const keep = database.prepare(
        `INSERT INTO ${copy} SELECT ?, name, seq FROM main.sqlite_sequence WHERE rowid = ?`,
      );
      for (const { rowid, name } of others.filter((row) => !own.includes(row.name.toLowerCase())))
        keep.run(places.get(name) ?? places.size + rowid, rowid);
      for (const { name, value, above } of counters)
        database
          .prepare(`INSERT INTO ${copy} VALUES (?, ?, ${above === null ? value : highest(database, above, value)})`)
          .run(places.get(name) ?? places.size, name);
      database.exec("DELETE FROM main.sqlite_sequence");
      database.exec(`INSERT INTO main.sqlite_sequence SELECT name, seq FROM ${copy} ORDER BY place, rowid`);
      database.exec(`DROP TABLE ${copy}`);
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

/**
 * Restores the statistics of ANALYZE from before the migration, which fit the old layout. If ANALYZE ran since, the
 * statistics stay as SQLite leaves them.
 *
 * @param now The present statistics.
 */
export function statisticsSteps({ records, index: base, former }: FormerState, now: Snapshot["statistics"]): Step[] {
  const since = records.slice(base);
  const isUntouched = since.every(({ result }, index) =>
    isEqual(result.statistics, since[index + 1]?.former.statistics ?? now),
  );
  if (!isUntouched || isEqual(former.statistics, now)) return [];
  return [
    {
      title: "restore the statistics of ANALYZE",
      run: (database) => {
        for (const [table, rows] of Object.entries(former.statistics)) restoreRows(database, table, rows);
      },
    },
  ];
}

function restoreRows(database: Database, table: string, rows: readonly string[][]): void {
  assertLiterals(rows.flat());
  if (!/^sqlite_stat\d$/.test(table))
    throw new DamagedRecord(
      RECORD_TABLE,
      `it has statistics of ANALYZE for ${table}, which is not a statistics table of SQLite`,
    );
  // An empty replica has no statistics.
  if (database.prepare("SELECT 1 FROM main.sqlite_schema WHERE name = ?").get(table) === undefined) return;
  database.exec(`DELETE FROM main.${table}`);
  for (const row of rows) database.prepare(`INSERT INTO main.${table} VALUES (${row.join(", ")})`).run();
}

function isEqual(one: Snapshot["statistics"], other: Snapshot["statistics"]): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

const LITERAL = /^(?:NULL|-?[\d.e+-]+|X?'(?:[^']|'')*'|CAST\(X'[\dA-F]*' AS TEXT\))$/i;

/** @throws DamagedRecord unless these are literals, as a migration records values: they become part of a statement. */
function assertLiterals(values: readonly string[]): void {
  if (!values.every((value) => LITERAL.test(value)))
    throw new DamagedRecord(RECORD_TABLE, "one of its values is not an SQL literal");
}
