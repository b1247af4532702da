import { hasTable } from "@perdura/internals/sqlite/catalog.js";
import { sqlName } from "@perdura/internals/text/quoted_sql.js";
import type { InPieces } from "../../core/progress.ts";
import { rowsText } from "../../core/rows_text.ts";
import { INTERACTIONS, SIDE_TABLE } from "../layouts/metrics_table.ts";
import { columnsOfQuarantine, QUARANTINE_TABLE, quarantineColumns } from "../record/quarantine.ts";
import { type Counted, countUnequal, countUnequalByIds } from "./comparison.ts";
import {
  oldOf,
  type QuarantinedShare,
  type ProvedChange,
  rowsOfNone,
  type RowsProof,
  totalCount,
  totalOf,
} from "./prove_rows.ts";

/** A table of the old layout with metadata, and the rows of the side table of version 16 that belong to it. */
interface Place {
  table: string;
  id: string;
  metadata: string;
  idOffset: number;
  /** SQL over the alias `l` of the side table. */
  where: string;
  quarantined: readonly QuarantinedShare[];
}

/**
 * Proves that every metadata text is, byte for byte, in its column or in the side table, or with its row in the
 * quarantine, and that there are no others.
 */
export function* proveMetadata(change: ProvedChange): InPieces<RowsProof> {
  const { database, in16, later } = change;
  const hasSide = hasTable(database, SIDE_TABLE, in16);
  const places = placesOf(change).filter(({ table }) => hasTable(database, table, oldOf(change)));
  const proofs: RowsProof[] = [];
  let unequal = 0;
  for (const place of places) {
    const old = database
      .prepare(`SELECT count(${sqlName(place.metadata)}) FROM ${oldOf(change)}.${sqlName(place.table)}`)
      .pluck()
      .get() as number;
    const kept = hasSide ? yield* comparePlace(change, place) : { rows: 0, unequal: 0 };
    const inQuarantine = totalCount(place.quarantined.map((share) => compareQuarantined(change, place, share)));
    const after = kept.rows + inQuarantine.rows;
    unequal += kept.unequal + inQuarantine.unequal;
    proofs.push({
      old,
      kept: kept.rows,
      quarantined: inQuarantine.rows,
      differences:
        in16 === "main"
          ? old === after
            ? []
            : [`${rowsText(old)} with metadata before, ${after} after`]
          : old > after && !later
            ? [`the metadata of ${rowsText(old - after)} did not exist before`]
            : [],
    });
  }
  const total = totalOf(proofs);
  return {
    ...total,
    differences: [
      ...(unequal > 0 ? [`the metadata of ${rowsText(unequal)} differs from the original`] : []),
      ...total.differences,
      ...(hasSide && places.length > 0 ? rowsOfNone(change, SIDE_TABLE, total.kept) : []),
    ],
  };
}

/** A side table that the old layout has as well holds the metadata that has no column: those of no interaction. */
function placesOf(change: ProvedChange): Place[] {
  const { database, in16, tables } = change;
  const hadSide = hasTable(database, SIDE_TABLE, oldOf(change));
  const hasRow = `l.interaction_id IN (SELECT id FROM ${in16}.${INTERACTIONS})`;
  const columns = tables.flatMap(({ table, idOffset, isMerged, owns, quarantined }): Place[] => {
    const { metadata } = table.names;
    if (metadata === null) return [];
    const own = owns("l.interaction_id", { table: table.name, id: "id" });
    const where = isMerged || !hadSide ? own : `${own} AND ${hasRow}`;
    return [{ table: table.name, id: "id", metadata, idOffset, where, quarantined }];
  });
  const sides = tables
    .filter(({ isMerged }) => hadSide && !isMerged)
    .map(({ table, owns }): Place => {
      const side = { table: SIDE_TABLE, id: "interaction_id" };
      const own = owns("l.interaction_id", side);
      return {
        ...side,
        metadata: "metadata",
        idOffset: 0,
        where: table.names.metadata === null ? own : `${own} AND NOT ${hasRow}`,
        quarantined: tables.flatMap((each) => (each.table.names.metadata === null ? each.quarantined : [])),
      };
    });
  return [...columns, ...sides];
}

function comparePlace(change: ProvedChange, { table, id, metadata, idOffset, where }: Place): InPieces<Counted> {
  return countUnequalByIds(change.database, {
    left: { schema: change.in16, table: SIDE_TABLE, columns: ["interaction_id", "metadata"] },
    right: { schema: oldOf(change), table, columns: [id, metadata] },
    keys: [["interaction_id", id]],
    keyOffset: idOffset,
    where,
  });
}

function compareQuarantined(change: ProvedChange, place: Place, { where, from, idOffset }: QuarantinedShare): Counted {
  const { database, in16 } = change;
  const { metadata } = quarantineColumns(from);
  const columns = columnsOfQuarantine(database, in16)?.map((column) => column.toLowerCase());
  if (columns?.includes(metadata.toLowerCase()) !== true) return { rows: 0, unequal: 0 };
  return countUnequal(database, {
    left: { schema: in16, table: QUARANTINE_TABLE, columns: ["id", metadata] },
    right: { schema: oldOf(change), table: place.table, columns: [place.id, place.metadata] },
    keys: [["id", place.id]],
    keyOffset: -idOffset,
    where: `${where("l")} AND l.${sqlName(metadata)} IS NOT NULL`,
  });
}
