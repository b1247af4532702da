import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { KEPT_LEVELS_TABLE } from "../../record/side_tables.ts";
import { assumedIds, losesLevel } from "../keep_levels.ts";
import type { Reversion } from "../reversion.ts";
import { formerId, isUnited } from "../../record/united_rows.ts";
import { rowsText, rowsAre, rowsWere } from "../../../core/rows_text.ts";
import type { MetricsTable } from "../../layouts/metrics_table.ts";
import { QUARANTINE_TABLE, quarantineColumns } from "../../record/quarantine_table.ts";
import type { InPieces } from "../../../core/progress.ts";
import { countUnequalInPieces, type Comparison, countAll, countUnequal } from "../../proof/count_unequal.ts";
import type { QuarantineShare } from "../quarantine_shares.ts";

/** Where the old layout has no levels, each is kept, or is the one that was assumed. */
export function proveLevels(database: Database, { form, united, added }: Reversion): string[] {
  const loses = losesLevel(form, united, "e.id");
  if (loses === "false") return [];
  const kept = database.prepare("SELECT 1 FROM main.sqlite_schema WHERE name = ?").get(KEPT_LEVELS_TABLE);
  const id = form.metrics?.level === null ? "e.id" : formerId(united, "e.id");
  const isKept =
    kept === undefined
      ? "false"
      : `EXISTS (SELECT 1 FROM main.${KEPT_LEVELS_TABLE} AS k WHERE k.id = ${id} AND k.level IS e.level AND typeof(k.level) = typeof(e.level))`;
  const lost = database
    .prepare(
      `SELECT count(*) FROM backup.interactions AS e WHERE ${loses} AND NOT ${isKept} AND e.id NOT IN (${assumedIds(database, "backup")})${added === null ? "" : ` AND e.id NOT IN (${added("backup")})`}`,
    )
    .pluck()
    .get() as number;
  return lost === 0 ? [] : [`the levels of ${rowsText(lost)} are neither kept nor the ones that were assumed`];
}

/** Where the rows of the copy are. */
interface RowsProof {
  rows: number;
  quarantined: number;
  /** Rows that are neither in `interactions` nor in the quarantine of the copy. */
  more: number;
  differences: string[];
}

/**
 * Every row of `interactions` of the copy is in the table of the old layout that it belongs to, and so is every row that
 * was set aside: value by value, once. The ids are keys on both sides, so that equal numbers leave no room for others.
 */
export function* proveRows(database: Database, reversion: Reversion, later: boolean): InPieces<RowsProof> {
  const { metrics, second } = reversion.form;
  const proofs: RowsProof[] = [];
  for (const table of [metrics, second])
    if (table !== null) proofs.push(yield* proveTable(database, reversion, table, table === second));
  const total = (pick: (proof: RowsProof) => number): number => proofs.reduce((sum, proof) => sum + pick(proof), 0);
  const more = total((proof) => proof.more);
  return {
    rows: total(({ rows }) => rows),
    quarantined: total(({ quarantined }) => quarantined),
    more,
    differences: [
      ...proofs.flatMap(({ differences }) => differences),
      ...(more > 0 && !later ? [`${rowsWere(more)} not there before`] : []),
    ],
  };
}

function* proveTable(
  database: Database,
  reversion: Reversion,
  table: MetricsTable,
  isSecond: boolean,
): InPieces<RowsProof> {
  const { united, added, shares } = reversion;
  const columns = table.columns.filter((column) => column !== table.metadata);
  const mine = isUnited(united, "l.id");
  const comparison: Comparison = {
    left: {
      schema: "backup",
      table: "interactions",
      columns: columns.map((column) => (column === table.level ? "level" : column)),
    },
    right: { schema: "main", table: table.name, columns },
    keys: [["id", "id"]],
    keyOffset: isSecond ? (united?.idOffset ?? 0) : 0,
    where: isSecond ? mine : `NOT (${mine})${added === null ? "" : ` AND l.id NOT IN (${added("backup")})`}`,
  };
  const kept = yield* countUnequalInPieces(database, comparison, "id");
  const returned = shares.filter(({ to }) => to === table).map((share) => proveShare(database, share));
  const quarantined = returned.reduce((sum, { rows }) => sum + rows, 0);
  const unequal = returned.reduce((sum, share) => sum + share.unequal, 0);
  return {
    rows: kept.rows,
    quarantined,
    more: countAll(database, "main", table.name) - kept.rows - quarantined,
    differences: [
      ...(kept.unequal > 0 ? [`${rowsAre(kept.unequal, `of ${table.name}`)} not as in interactions`] : []),
      ...(unequal > 0 ? [`${rowsAre(unequal, `of ${table.name}`)} not as in ${QUARANTINE_TABLE}`] : []),
    ],
  };
}

function proveShare(
  database: Database,
  { where, from, to, idOffset }: QuarantineShare,
): { rows: number; unequal: number } {
  const columns = to.columns.filter((column) => column !== to.metadata);
  const metadata = to.metadata === null ? [] : [[quarantineColumns(from).metadata, to.metadata] as const];
  const pairs = [
    ...columns.map((column) => [column === to.level ? (from.level as string) : column, column] as const),
    ...metadata,
  ];
  return countUnequal(database, {
    left: { schema: "backup", table: QUARANTINE_TABLE, columns: pairs.map(([column]) => column) },
    right: { schema: "main", table: to.name, columns: pairs.map(([, column]) => column) },
    keys: [["id", "id"]],
    keyOffset: -idOffset,
    where: where("l"),
  });
}
