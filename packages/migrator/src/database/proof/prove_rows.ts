import type { Database } from "@perdura/internals/sqlite/open_database.js";
import type { InPieces } from "../../core/progress.ts";
import { rowsAre, rowsText } from "../../core/rows_text.ts";
import {
  columnPairs,
  INTERACTIONS,
  type KeptColumn,
  keptColumns,
  type MetricsTable,
  valueIn16,
} from "../layouts/metrics_table.ts";
import { QUARANTINE_TABLE, quarantineColumns } from "../record/quarantine.ts";
import { valueBefore } from "../record/row_before.ts";
import {
  type Compared,
  type Comparison,
  countAll,
  type Counted,
  countUnequal,
  countUnequalByIds,
  rowsDiffer,
} from "./comparison.ts";

/** Rows of the quarantine that belong to a table of the old layout. */
export interface QuarantinedShare {
  /** SQL that is true for them, for an alias of the quarantine. */
  where: (row: string) => string;
  /** The table that they came from, and that of the old layout. */
  from: MetricsTable;
  to: MetricsTable;
  /** Difference between their ids in the table of the old layout and in the quarantine. */
  idOffset: number;
}

/** A table of the old layout, and the rows of version 16 that are its rows. */
export interface MigratedTable {
  table: MetricsTable;
  /** Difference between new and old ids. */
  idOffset: number;
  /** True for a table whose rows were merged into the first. */
  isMerged: boolean;
  /**
   * SQL that is true for an id of `interactions` that belongs to this table, and not to a row that was recorded since.
   *
   * @param oldIds The table and the column with the ids of the old layout.
   */
  owns: (id: string, oldIds: { table: string; id: string }) => string;
  quarantined: readonly QuarantinedShare[];
}

/** A change of the tables of interactions, in one of the two directions. The copy is attached as `backup`. */
export interface ProvedChange {
  database: Database;
  /** The state in version 16: the changed database after a migration, the copy after a downgrade. */
  in16: "main" | "backup";
  /** Number of the migration. */
  number: number;
  tables: readonly MigratedTable[];
  /** True some time after the change: programs may have recorded rows since. */
  later: boolean;
}

/** The state in the old layout. */
export const oldOf = ({ in16 }: ProvedChange): "main" | "backup" => (in16 === "main" ? "backup" : "main");

/** Result of a proof: numbers of rows, in all tables together. */
export interface RowsProof {
  /** Number of rows in the old layout. */
  old: number;
  /** Number of these in `interactions` or the side table, and in the quarantine. */
  kept: number;
  quarantined: number;
  differences: string[];
}

/**
 * Proves that every row of the old layout is, value for value, in `interactions` or in the quarantine, once, and that
 * there are no others. The ids are keys on both sides, so the same number of equal rows means that they are the same
 * rows.
 */
export function* proveRows(change: ProvedChange): InPieces<RowsProof> {
  const proofs: RowsProof[] = [];
  for (const migrated of change.tables) proofs.push(yield* proveTable(change, migrated));
  const total = totalOf(proofs);
  const others = change.tables.length === 0 ? [] : rowsOfNone(change, INTERACTIONS, total.kept);
  return { ...total, differences: [...total.differences, ...others] };
}

export function totalOf(proofs: readonly RowsProof[]): RowsProof {
  const sum = (pick: (proof: RowsProof) => number): number => proofs.reduce((all, proof) => all + pick(proof), 0);
  return {
    old: sum(({ old }) => old),
    kept: sum(({ kept }) => kept),
    quarantined: sum(({ quarantined }) => quarantined),
    differences: proofs.flatMap(({ differences }) => differences),
  };
}

function* proveTable(change: ProvedChange, migrated: MigratedTable): InPieces<RowsProof> {
  const { database } = change;
  const { table, quarantined: shares } = migrated;
  const old = countAll(database, oldOf(change), table.name);
  const kept = yield* countUnequalByIds(database, comparisonIn16(change, migrated));
  // Values from which a downgrade derives others, or has derived them.
  const converted = keptColumns(table).filter(({ type }) => type !== undefined);
  const lossy =
    converted.length === 0 ? 0 : countUnequal(database, comparisonBefore(change, migrated, converted)).unequal;
  const inQuarantine = totalCount(shares.map((share) => compareShare(change, share)));
  const repeated = shares.reduce((sum, share) => sum + countRepeated(change, migrated, share), 0);
  return {
    old,
    kept: kept.rows,
    quarantined: inQuarantine.rows,
    differences: [
      ...differs(change, migrated, kept.unequal, INTERACTIONS),
      ...(lossy > 0 ? [`the original values of ${rowsText(lossy)}${originOf(migrated)} are not recorded`] : []),
      ...differs(change, migrated, inQuarantine.unequal, QUARANTINE_TABLE),
      ...(repeated > 0 ? [`${rowsAre(repeated, `of ${QUARANTINE_TABLE}`)} duplicated`] : []),
      ...wrongNumber(change, migrated, old, kept.rows, inQuarantine.rows),
    ],
  };
}

/** Compares the rows in the form that they have in version 16. */
function comparisonIn16(change: ProvedChange, migrated: MigratedTable): Comparison {
  const columns = keptColumns(migrated.table);
  return comparisonOf(change, migrated, columns, {
    old: (name, value) => {
      const column = columns.find((one) => one.name === name);
      return column && valueIn16(column, value);
    },
  });
}

/** Compares columns in the form that they had before, as far as that follows from version 16. */
function comparisonBefore(change: ProvedChange, migrated: MigratedTable, columns: readonly KeptColumn[]): Comparison {
  const { database, in16: schema, number } = change;
  const { table, idOffset } = migrated;
  const changed = { table, number, schema, id: `(l.id - (${idOffset}))` };
  return comparisonOf(change, migrated, columns, {
    in16: (to, value) => {
      const column = columns.find((one) => one.to === to);
      return column && valueBefore(database, changed, column, value);
    },
  });
}

function comparisonOf(
  change: ProvedChange,
  { table, idOffset, owns }: MigratedTable,
  columns: readonly KeptColumn[],
  compared: { in16?: Compared; old?: Compared },
): Comparison {
  const [left, right] = [columns.map(({ to }) => to), columns.map(({ name }) => name)];
  return {
    left: { schema: change.in16, table: INTERACTIONS, columns: left, compared: compared.in16 },
    right: { schema: oldOf(change), table: table.name, columns: right, compared: compared.old },
    keys: [["id", "id"]],
    keyOffset: idOffset,
    where: owns("l.id", { table: table.name, id: "id" }),
  };
}

export const totalCount = (counts: readonly Counted[]): Counted => ({
  rows: counts.reduce((sum, { rows }) => sum + rows, 0),
  unequal: counts.reduce((sum, { unequal }) => sum + unequal, 0),
});

const originOf = ({ table, isMerged }: MigratedTable): string => (isMerged ? ` in the table ${table.name}` : "");

/** @param place The table of version 16 that has the rows. */
function differs({ in16 }: ProvedChange, migrated: MigratedTable, rows: number, place: string): string[] {
  if (rows === 0) return [];
  const [now, then] = in16 === "main" ? [place, `the original${originOf(migrated)}`] : [migrated.table.name, place];
  return [rowsDiffer(rows, now, then)];
}

/** A downgraded table that lacks a row has none that is equal. Later, pre-16 programs may have added some. */
function wrongNumber(
  { in16, later }: ProvedChange,
  migrated: MigratedTable,
  old: number,
  kept: number,
  quarantined: number,
): string[] {
  const more = old - kept - quarantined;
  if (in16 === "main")
    return more === 0
      ? []
      : [`${rowsText(old)} before${originOf(migrated)}, ${kept} and ${quarantined} in quarantine after`];
  return more > 0 && !later ? [`${rowsText(more)} did not exist before`] : [];
}

/** Each table has its own range of ids; no row of version 16 may be outside of all. Later, it may be a new one. */
export function rowsOfNone({ database, in16, later }: ProvedChange, table: string, known: number): string[] {
  const rows = in16 === "main" && later ? 0 : countAll(database, in16, table) - known;
  if (rows === 0) return [];
  return [
    in16 === "main"
      ? `${rowsText(rows)} of ${table} did not exist in either table before`
      : `${rowsAre(rows, `of ${table}`)} missing`,
  ];
}

function compareShare(change: ProvedChange, { where, from, to, idOffset }: QuarantinedShare): Counted {
  const { metadata } = to.names;
  const pairs = [
    ...columnPairs(from, to),
    ...(metadata === null ? [] : [[quarantineColumns(from).metadata, metadata] as const]),
  ];
  return countUnequal(change.database, {
    left: { schema: change.in16, table: QUARANTINE_TABLE, columns: pairs.map(([column]) => column) },
    right: { schema: oldOf(change), table: to.name, columns: pairs.map(([, column]) => column) },
    keys: [["id", "id"]],
    keyOffset: -idOffset,
    where: where("l"),
  });
}

/** Number of rows that are in the quarantine more than once, or in `interactions` as well. */
function countRepeated(
  { database, in16 }: ProvedChange,
  { table, idOffset, owns }: MigratedTable,
  share: QuarantinedShare,
): number {
  const id = `l.id + ${share.idOffset + idOffset}`;
  return database
    .prepare(
      `SELECT count(*) - count(DISTINCT l.id) + count(i.id) FROM ${in16}.${QUARANTINE_TABLE} AS l LEFT JOIN ${in16}.${INTERACTIONS} AS i ON i.id = ${id} AND ${owns("i.id", { table: table.name, id: "id" })} WHERE ${share.where("l")}`,
    )
    .pluck()
    .get() as number;
}
