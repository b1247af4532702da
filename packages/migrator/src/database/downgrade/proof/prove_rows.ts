import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { sqlName } from "@perdura/internals/text/quoted_sql.js";
import type { InPieces } from "../../../core/progress.ts";
import { rowsText } from "../../../core/rows_text.ts";
import { columnPairs, type MetricsTable, SIDE_TABLE } from "../../layouts/metrics_table.ts";
import { countAll, countUnequal, countUnequalInPieces, rowsDiffer } from "../../proof/comparison.ts";
import { comparisonBefore } from "../../proof/row_comparison.ts";
import { QUARANTINE_TABLE, quarantineColumns } from "../../record/quarantine.ts";
import { KEPT_LEVELS_TABLE } from "../../record/side_tables.ts";
import { formerId, isMerged } from "../../record/merged_rows.ts";
import { numberOf } from "../former_types.ts";
import type { QuarantinedRows } from "../quarantined_rows.ts";
import { assumedIds, losesLevel } from "../restore_rows.ts";
import type { DowngradePlan } from "../plan_downgrade.ts";

/** Result of a proof of rows. */
interface RowsProof {
  rows: number;
  quarantined: number;
  /** Number of rows that are neither in `interactions` nor in the quarantine of the copy. */
  more: number;
  differences: string[];
}

/**
 * Proves that every row of `interactions` of the copy, and every quarantined row, is in its table of the old layout:
 * value by value, once. The ids are keys on both sides, so equal numbers of rows exclude others.
 */
export function* proveRows(database: Database, plan: DowngradePlan, later: boolean): InPieces<RowsProof> {
  const { metrics, second } = plan.state;
  const proofs: RowsProof[] = [];
  for (const table of [metrics, second])
    if (table !== null) proofs.push(yield* proveTable(database, plan, table, table === second));
  const total = (pick: (proof: RowsProof) => number): number => proofs.reduce((sum, proof) => sum + pick(proof), 0);
  const more = total((proof) => proof.more);
  return {
    rows: total(({ rows }) => rows),
    quarantined: total(({ quarantined }) => quarantined),
    more,
    differences: [
      ...proofs.flatMap(({ differences }) => differences),
      ...(more > 0 && !later ? [`${rowsText(more)} did not exist before`] : []),
    ],
  };
}

function* proveTable(
  database: Database,
  plan: DowngradePlan,
  table: MetricsTable,
  isSecond: boolean,
): InPieces<RowsProof> {
  const { mergedRange, quarantined: shares } = plan;
  const mine = isMerged(mergedRange, "l.id");
  const comparison = comparisonBefore(database, {
    table,
    number: numberOf(plan.state),
    in16: "backup",
    before: "main",
    idOffset: isSecond ? (mergedRange?.idOffset ?? 0) : 0,
    where: isSecond ? mine : `NOT (${mine})`,
  });
  const kept = yield* countUnequalInPieces(database, comparison, "id");
  const returned = shares.filter(({ to }) => to === table).map((share) => proveShare(database, share));
  const quarantined = returned.reduce((sum, { rows }) => sum + rows, 0);
  const unequal = returned.reduce((sum, share) => sum + share.unequal, 0);
  return {
    rows: kept.rows,
    quarantined,
    more: countAll(database, "main", table.name) - kept.rows - quarantined,
    differences: [
      ...(kept.unequal > 0 ? [rowsDiffer(kept.unequal, table.name, "interactions")] : []),
      ...(unequal > 0 ? [rowsDiffer(unequal, table.name, QUARANTINE_TABLE)] : []),
    ],
  };
}

function proveShare(
  database: Database,
  { where, from, to, idOffset }: QuarantinedRows,
): { rows: number; unequal: number } {
  const { metadata } = to.names;
  const pairs = [
    ...columnPairs(from, to),
    ...(metadata === null ? [] : [[quarantineColumns(from).metadata, metadata] as const]),
  ];
  return countUnequal(database, {
    left: { schema: "backup", table: QUARANTINE_TABLE, columns: pairs.map(([column]) => column) },
    right: { schema: "main", table: to.name, columns: pairs.map(([, column]) => column) },
    keys: [["id", "id"]],
    keyOffset: -idOffset,
    where: where("l"),
  });
}

/** A table with metadata, and the rows of the copy's side table that belong to it. */
interface Place {
  table: string;
  id: string;
  metadata: string;
  /** SQL over the alias `l` of the side table. */
  where: string;
  idOffset: number;
}

/**
 * Proves that every metadata text is, byte for byte, in its column or in the side table, and that there are no others.
 */
export function* proveMetadata(
  database: Database,
  plan: DowngradePlan,
  later: boolean,
): InPieces<{ rows: number; differences: string[] }> {
  const side = has(database, "backup", SIDE_TABLE);
  const places = placesOf(plan).filter(({ table }) => has(database, "main", table));
  const proofs: { rows: number; unequal: number; more: number }[] = [];
  for (const place of places) {
    const kept = side ? yield* comparePlace(database, place) : { rows: 0, unequal: 0 };
    const inQuarantine = fromQuarantine(database, plan, place);
    const now = database
      .prepare(`SELECT count(${sqlName(place.metadata)}) FROM main.${sqlName(place.table)}`)
      .pluck()
      .get() as number;
    proofs.push({
      rows: kept.rows,
      unequal: kept.unequal + inQuarantine.unequal,
      more: now - kept.rows - inQuarantine.rows,
    });
  }
  const sum = (pick: (proof: (typeof proofs)[number]) => number): number =>
    proofs.reduce((total, proof) => total + pick(proof), 0);
  const rows = sum((proof) => proof.rows);
  const unequal = sum((proof) => proof.unequal);
  const more = sum((proof) => proof.more);
  const lost = (side ? countAll(database, "backup", SIDE_TABLE) : 0) - rows;
  return {
    rows,
    differences: [
      ...(unequal > 0 ? [`the metadata of ${rowsText(unequal)} differs from the original`] : []),
      ...(lost !== 0 ? [`the metadata of ${rowsText(lost)} is missing`] : []),
      ...(more > 0 && !later ? [`the metadata of ${rowsText(more)} did not exist before`] : []),
    ],
  };
}

function comparePlace(database: Database, place: Place): InPieces<{ rows: number; unequal: number }> {
  return countUnequalInPieces(
    database,
    {
      left: { schema: "backup", table: SIDE_TABLE, columns: ["interaction_id", "metadata"] },
      right: { schema: "main", table: place.table, columns: [place.id, place.metadata] },
      keys: [["interaction_id", place.id]],
      keyOffset: place.idOffset,
      where: place.where,
    },
    "interaction_id",
  );
}

function placesOf({ state: { metrics, second }, mergedRange }: DowngradePlan): Place[] {
  const isOfSecond = isMerged(mergedRange, "l.interaction_id");
  const inColumn =
    metrics?.names.metadata === null ? "false" : "l.interaction_id IN (SELECT id FROM backup.interactions)";
  const own = `NOT (${isOfSecond})`;
  return [
    ...(metrics === null || metrics.names.metadata === null
      ? []
      : [
          {
            table: metrics.name,
            id: "id",
            metadata: metrics.names.metadata,
            where: `${own} AND ${inColumn}`,
            idOffset: 0,
          },
        ]),
    ...(second === null || second.names.metadata === null
      ? []
      : [
          {
            table: second.name,
            id: "id",
            metadata: second.names.metadata,
            where: isOfSecond,
            idOffset: mergedRange?.idOffset ?? 0,
          },
        ]),
    {
      table: SIDE_TABLE,
      id: "interaction_id",
      metadata: "metadata",
      where: `${own} AND NOT (${inColumn})`,
      idOffset: 0,
    },
  ];
}

function fromQuarantine(
  database: Database,
  { quarantined: shares }: DowngradePlan,
  place: Place,
): { rows: number; unequal: number } {
  const mine = shares.filter(({ to }) =>
    to.names.metadata === null ? place.table === SIDE_TABLE : to.name === place.table,
  );
  const proofs = mine.map(({ where, from, idOffset }) => {
    const { metadata } = quarantineColumns(from);
    const columns = database.prepare("SELECT lower(name) FROM pragma_table_xinfo(?, 'backup')").pluck();
    if (!columns.all(QUARANTINE_TABLE).includes(metadata.toLowerCase())) return { rows: 0, unequal: 0 };
    return countUnequal(database, {
      left: { schema: "backup", table: QUARANTINE_TABLE, columns: ["id", metadata] },
      right: { schema: "main", table: place.table, columns: [place.id, place.metadata] },
      keys: [["id", place.id]],
      keyOffset: -idOffset,
      where: `${where("l")} AND l.${sqlName(metadata)} IS NOT NULL`,
    });
  });
  return {
    rows: proofs.reduce((sum, { rows }) => sum + rows, 0),
    unequal: proofs.reduce((sum, { unequal }) => sum + unequal, 0),
  };
}

function has(database: Database, schema: "main" | "backup", table: string): boolean {
  return database.prepare("SELECT 1 FROM pragma_table_xinfo(?, ?) LIMIT 1").get(table, schema) !== undefined;
}

/** If the old layout has no levels: proves that each level is kept, or equals the assumed one. */
export function proveLevels(database: Database, { state, mergedRange }: DowngradePlan): string[] {
  const loses = losesLevel(state, mergedRange, "e.id");
  if (loses === "false") return [];
  const kept = database.prepare("SELECT 1 FROM main.sqlite_schema WHERE name = ?").get(KEPT_LEVELS_TABLE);
  const id = state.metrics?.names.level === null ? "e.id" : formerId(mergedRange, "e.id");
  const isKept =
    kept === undefined
      ? "false"
      : `EXISTS (SELECT 1 FROM main.${KEPT_LEVELS_TABLE} AS k WHERE k.id = ${id} AND k.level IS e.level AND typeof(k.level) = typeof(e.level))`;
  const lost = database
    .prepare(
      `SELECT count(*) FROM backup.interactions AS e WHERE ${loses} AND NOT ${isKept} AND e.id NOT IN (${assumedIds(database, "backup")})`,
    )
    .pluck()
    .get() as number;
  return lost === 0 ? [] : [`the levels of ${rowsText(lost)} are neither kept nor equal to the assumed ones`];
}
