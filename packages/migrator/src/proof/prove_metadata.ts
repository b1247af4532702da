import type { MetricsTable } from "../databases/metrics_table.ts";
import { QUARANTINE_TABLE, quarantineColumns } from "../databases/quarantine_table.ts";
import { isRowId } from "../databases/row_id.ts";
import { sqlName } from "../databases/sql_text.ts";
import type { InPieces } from "../core/progress.ts";
import { countUnequalInPieces } from "./count_in_pieces.ts";
import { type Comparison, countUnequal } from "./count_unequal.ts";
import { setAside } from "./quarantined_rows.ts";
import type { Source } from "./sources.ts";
import type { Subject } from "./subject.ts";
import { rowsText } from "../core/rows_text.ts";

const SIDE_COLUMNS = ["interaction_id", "metadata"];

/** What became of the metadata of one table. */
interface MetadataProof {
  rows: number;
  /** Of these, in the side table. */
  kept: number;
  differences: string[];
}

/** Every metadata text is, byte for byte, in the side table or with its row in the quarantine. */
export function* proveMetadata(subject: Subject, owner: Source): InPieces<MetadataProof> {
  const before = owner.table;
  if (before.metadata === null && !before.sideTable) return { rows: 0, kept: 0, differences: [] };
  const source =
    before.metadata === null
      ? { table: "interaction_metadata", columns: SIDE_COLUMNS, id: "interaction_id" }
      : { table: before.name, columns: ["id", before.metadata], id: "id" };
  const { database } = subject;
  const compared = subject.quick === true ? 1 : 2;
  const comparison: Comparison = {
    left: { schema: "main", table: "interaction_metadata", columns: SIDE_COLUMNS.slice(0, compared) },
    right: { schema: "backup", table: source.table, columns: source.columns.slice(0, compared) },
    keys: [["interaction_id", source.id]],
    keyOffset: owner.idOffset,
    where: `${owner.owns("l.interaction_id", source)}${takesOver(before) ? ` AND l.interaction_id NOT IN (SELECT interaction_id FROM backup.interaction_metadata)` : ""}`,
  };
  const kept = isRowId(database, "interaction_metadata")
    ? yield* countUnequalInPieces(database, comparison, "interaction_id")
    : countUnequal(database, comparison);
  const total = single(
    database,
    `SELECT count(${sqlName(source.columns[1] as string)}) FROM backup.${sqlName(source.table)}${owner.part === null ? "" : ` AS t WHERE ${owner.part}`}`,
  );
  const aside = quarantined(subject, before, source);
  const left = takesOver(before) ? leftBefore(subject) : { rows: 0, unequal: 0 };
  const unequal = kept.unequal + aside.unequal + left.unequal;
  return {
    rows: kept.rows + aside.rows + left.rows,
    kept: kept.rows,
    differences: [
      ...(unequal > 0 ? [`the metadata of ${rowsText(unequal)} is not as it was`] : []),
      ...(total === kept.rows + aside.rows
        ? []
        : [`${rowsText(total)} with metadata before, ${kept.rows + aside.rows} after`]),
    ],
  };
}

/** An earlier way back left the side table beside the column. */
function takesOver({ metadata, sideTable }: MetricsTable): boolean {
  return metadata !== null && sideTable;
}

/** What was in the side table before is in it still. */
function leftBefore({ database }: Subject): { rows: number; unequal: number } {
  const side = { table: "interaction_metadata", columns: SIDE_COLUMNS };
  return countUnequal(database, {
    left: { ...side, schema: "backup" },
    right: { ...side, schema: "main" },
    keys: [["interaction_id", "interaction_id"]],
  });
}

function quarantined(
  subject: Subject,
  before: MetricsTable,
  source: { table: string; columns: string[]; id: string },
): { rows: number; unequal: number } {
  const where = setAside(subject, before);
  if (where === undefined) return { rows: 0, unequal: 0 };
  const { metadata } = quarantineColumns(before);
  return countUnequal(subject.database, {
    left: { schema: "main", table: QUARANTINE_TABLE, columns: ["id", metadata] },
    right: { schema: "backup", table: source.table, columns: source.columns },
    keys: [["id", source.id]],
    where: `${where} AND l.${sqlName(metadata)} IS NOT NULL`,
  });
}

function single(database: Subject["database"], sql: string): number {
  return database.prepare(sql).pluck().get() as number;
}
