import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { blockingCondition } from "../../inspect/odd_checks.ts";
import { Stop } from "../../core/stop.ts";
import type { MetricsTable } from "../metrics_table.ts";
import { columnsOfQuarantine, QUARANTINE_TABLE } from "../quarantine_table.ts";
import { sqlName } from "../sql_text.ts";

/** How the rows of a second metrics table join those of `interactions`, which keep their ids. */
export interface Union {
  second: MetricsTable;
  rows: number;
  /** The new id of a row is its old one plus this. */
  idOffset: number;
  /** New ids; null where no row joins. */
  first: number | null;
  last: number | null;
  /** True when they come after the others, because none of those is newer. */
  newer: boolean;
}

/**
 * Decides which ids the rows of the second table get. The newest interaction of a user is the one with the highest id, so
 * rows that are newer come after the others, and older ones before them. Where ids are free they stay.
 *
 * @param leaves True when rows that version 16 cannot hold go into the quarantine first.
 * @throws Stop when the ids would be beyond what a program of version 16 can read.
 */
export function planUnion(database: Database, first: MetricsTable, second: MetricsTable, leaves: boolean): Union {
  const from = `main.${sqlName(second.name)}`;
  const all = database.prepare(`SELECT min(id) AS low, max(id) AS high FROM ${from}`).safeIntegers().get() as {
    low: bigint | null;
    high: bigint | null;
  };
  const moving = database
    .prepare(
      `SELECT min(id) AS low, max(id) AS high, count(*) AS rows FROM ${from}${leaves ? ` WHERE NOT (${blockingCondition(second)})` : ""}`,
    )
    .safeIntegers()
    .get() as { low: bigint | null; high: bigint | null; rows: bigint };
  const newer = areNewer(database, first.name, second.name);
  const used = usedIds(database, first);
  const offset =
    all.low === null || all.high === null ? 0n : newer ? up(used.high + 1n - all.low) : down(used.low - 1n - all.high);
  for (const id of [all.low, all.high]) {
    if (id === null) continue;
    readable(id);
    readable(id + offset);
  }
  const moved = (id: bigint | null): number | null => (id === null ? null : readable(id + offset));
  return {
    second,
    rows: Number(moving.rows),
    idOffset: readable(offset),
    first: moved(moving.low),
    last: moved(moving.high),
    newer,
  };
}

const up = (offset: bigint): bigint => (offset > 0n ? offset : 0n);
const down = (offset: bigint): bigint => (offset < 0n ? offset : 0n);

/** The lowest and the highest id that a row of `interactions` has, had, or could be given back. */
function usedIds(database: Database, { name, sideTable }: MetricsTable): { low: bigint; high: bigint } {
  const quarantined = columnsOfQuarantine(database, "main")?.some((column) => column.toLowerCase() === "id") === true;
  const counts =
    database.prepare("SELECT 1 FROM main.sqlite_schema WHERE name = 'sqlite_sequence'").get() !== undefined;
  const ids = [
    `SELECT min(id) AS low, max(id) AS high FROM main.${sqlName(name)}`,
    ...(sideTable ? ["SELECT min(interaction_id), max(interaction_id) FROM main.interaction_metadata"] : []),
    ...(quarantined ? [`SELECT min(id), max(id) FROM main.${QUARANTINE_TABLE} WHERE typeof(id) = 'integer'`] : []),
    ...(counts
      ? [
          "SELECT NULL, CAST(seq AS INTEGER) FROM main.sqlite_sequence WHERE name = 'interactions' COLLATE NOCASE AND typeof(seq) = 'integer'",
        ]
      : []),
  ];
  const used = database
    .prepare(`SELECT ifnull(min(low), 1) AS low, ifnull(max(high), 0) AS high FROM (${ids.join(" UNION ALL ")})`)
    .safeIntegers()
    .get();
  return used as { low: bigint; high: bigint };
}

/** Timestamps are text that sorts; programs wrote them with a blank or a T. Where they tell nothing, the old program wrote last. */
function areNewer(database: Database, first: string, second: string): boolean {
  const newest = (table: string): string | undefined =>
    (
      database
        .prepare(
          `SELECT timestamp FROM main.${sqlName(table)} WHERE typeof(timestamp) = 'text' ORDER BY timestamp DESC LIMIT 1`,
        )
        .pluck()
        .get() as string | undefined
    )?.replace("T", " ");
  const [one, other] = [newest(first), newest(second)];
  return one === undefined || other === undefined || other >= one;
}

function readable(id: bigint): number {
  if (Number.isSafeInteger(Number(id))) return Number(id);
  throw new Stop(
    "refused",
    `The rows of the table metrics have or would get ids beyond 2^53 (${String(id)}), which programs of version 16 cannot read. Give the rows of one of the two tables other ids first.`,
  );
}
