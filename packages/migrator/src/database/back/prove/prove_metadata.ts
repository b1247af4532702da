import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { QUARANTINE_TABLE, quarantineColumns } from "../../record/quarantine_table.ts";
import { sqlName } from "../../sql/sql_text.ts";
import type { InPieces } from "../../../core/progress.ts";
import { countUnequalInPieces, countAll, countUnequal } from "../../proof/count_unequal.ts";
import { SIDE_TABLE } from "../old_form.ts";
import type { Reversion } from "../reversion.ts";
import { isUnited } from "../../record/united_rows.ts";
import { rowsText } from "../../../core/rows_text.ts";

/** A table that holds metadata now, and which rows of the copy's side table it has to hold. */
interface Place {
  table: string;
  id: string;
  metadata: string;
  /** SQL over the alias `l` of the side table. */
  where: string;
  idOffset: number;
}

/** Every metadata text is, byte for byte, in its column or in the side table, and nothing else is. */
export function* proveMetadata(
  database: Database,
  reversion: Reversion,
  later: boolean,
): InPieces<{ rows: number; differences: string[] }> {
  const side = has(database, "backup", SIDE_TABLE);
  const places = placesOf(reversion).filter(({ table }) => has(database, "main", table));
  const proofs: { rows: number; unequal: number; more: number }[] = [];
  for (const place of places) {
    const kept = side ? yield* comparePlace(database, place) : { rows: 0, unequal: 0 };
    const aside = fromQuarantine(database, reversion, place);
    const now = database
      .prepare(`SELECT count(${sqlName(place.metadata)}) FROM main.${sqlName(place.table)}`)
      .pluck()
      .get() as number;
    proofs.push({ rows: kept.rows, unequal: kept.unequal + aside.unequal, more: now - kept.rows - aside.rows });
  }
  const sum = (pick: (proof: (typeof proofs)[number]) => number): number =>
    proofs.reduce((total, proof) => total + pick(proof), 0);
  const rows = sum((proof) => proof.rows);
  const unequal = sum((proof) => proof.unequal);
  const more = sum((proof) => proof.more);
  const { added } = reversion;
  const goes = added === null ? null : `t.interaction_id NOT IN (${added("backup")})`;
  const lost = (side ? countAll(database, "backup", SIDE_TABLE, goes) : 0) - rows;
  return {
    rows,
    differences: [
      ...(unequal > 0 ? [`the metadata of ${rowsText(unequal)} is not as it was`] : []),
      ...(lost !== 0 ? [`the metadata of ${rowsText(lost)} is gone`] : []),
      ...(more > 0 && !later ? [`the metadata of ${rowsText(more)} was not there before`] : []),
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

function placesOf({ form: { metrics, second }, united, added }: Reversion): Place[] {
  const isOfSecond = isUnited(united, "l.interaction_id");
  const inColumn = metrics?.metadata === null ? "false" : "l.interaction_id IN (SELECT id FROM backup.interactions)";
  const own = `NOT (${isOfSecond})${added === null ? "" : ` AND l.interaction_id NOT IN (${added("backup")})`}`;
  return [
    ...(metrics === null || metrics.metadata === null
      ? []
      : [{ table: metrics.name, id: "id", metadata: metrics.metadata, where: `${own} AND ${inColumn}`, idOffset: 0 }]),
    ...(second === null || second.metadata === null
      ? []
      : [
          {
            table: second.name,
            id: "id",
            metadata: second.metadata,
            where: isOfSecond,
            idOffset: united?.idOffset ?? 0,
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

function fromQuarantine(database: Database, { shares }: Reversion, place: Place): { rows: number; unequal: number } {
  const mine = shares.filter(({ to }) => (to.metadata === null ? place.table === SIDE_TABLE : to.name === place.table));
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
