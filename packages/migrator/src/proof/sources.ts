import { addedIds, sharedColumns } from "../databases/added_rows.ts";
import type { MetricsTable } from "../databases/metrics_table.ts";
import { sqlName } from "../databases/sql_text.ts";
import { nextNumber } from "../record/migration_record.ts";
import { unitedIn } from "../record/united_rows.ts";
import type { Subject } from "./subject.ts";

/** A metrics table of the backup, and which rows of `interactions` are those that it had. */
export interface Source {
  table: MetricsTable;
  /** SQL over the alias `t` of the backup: its rows that went into `interactions`; null for all of them. */
  part: string | null;
  /** What was added to its ids. */
  idOffset: number;
  /** True for the second table, whose rows joined those of the first. */
  joined: boolean;
  /**
   * SQL that is true for an id of `interactions` that is of this table, and not of a row that was recorded since.
   *
   * @param oldIds The table and the column of the backup that hold the ids as they were.
   */
  owns: (id: string, oldIds: { table: string; id: string }) => string;
}

/** The metrics tables of the backup. The rows of a second one have a range of ids for themselves, as the database records. */
export function sourcesOf({ database, before, second, added, later }: Subject): Source[] {
  if (before === null) return [];
  const united = second === null ? null : unitedIn(database, nextNumber(database, "backup"));
  const range = (id: string): string =>
    united === null ? "false" : `${id} BETWEEN ${united.first + united.idOffset} AND ${united.last + united.idOffset}`;
  const addedTo = (id: string): string =>
    added === null ? "false" : `${id} IN (${addedIds(added, before.name, "backup")})`;
  const first: Source = {
    table: before,
    part: null,
    idOffset: 0,
    joined: false,
    owns: (id, old) =>
      [
        ...(united === null ? ["true"] : [`NOT (${range(id)})`]),
        ...(added === null ? [] : [`NOT (${addedTo(id)})`]),
        ...(later ? [`${id} <= (SELECT ifnull(max(${old.id}), 0) FROM backup.${sqlName(old.table)})`] : []),
      ].join(" AND "),
  };
  if (added !== null) {
    const columns = [
      "id",
      added.level,
      ...sharedColumns(added, before),
      ...(added.metadata === null ? [] : [added.metadata]),
    ];
    const part = `t.id IN (${addedIds(added, before.name, "backup")})`;
    return [first, { table: { ...added, columns }, part, idOffset: 0, joined: true, owns: addedTo }];
  }
  if (second === null) return [first];
  return [first, { table: second, part: null, idOffset: united?.idOffset ?? 0, joined: true, owns: range }];
}
