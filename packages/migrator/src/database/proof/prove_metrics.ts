import { sqlName } from "@perdura/internals/text/quoted_sql.js";
import type { InPieces } from "../../core/progress.ts";
import { rowsAre, rowsText } from "../../core/rows_text.ts";
import { keptColumns, type MetricsTable } from "../layouts/metrics_table.ts";
import { nextNumber } from "../record/migration_record.ts";
import { QUARANTINE_TABLE, quarantineColumns } from "../record/quarantine.ts";
import { isRowId } from "../sql/row_id.ts";
import {
  type Comparison,
  countAll,
  countUnequal,
  countUnequalInPieces,
  rowsDiffer,
  quarantinedCondition,
  type Source,
  type Subject,
} from "./comparison.ts";
import { comparisonBefore, comparisonIn16, type MigratedRows } from "./row_comparison.ts";

/** Result of a proof of the rows of one metrics table. */
interface MetricsProof {
  rowsBefore: number;
  rowsAfter: number;
  rowsQuarantined: number;
  differences: string[];
}

/**
 * Proves that every row of an old table is, value for value, in `interactions` or in the quarantine, once, and that
 * there are no others. The ids are keys on both sides, so the same number of equal rows means that they are the same
 * rows.
 */
export function* proveMetrics(subject: Subject, source: Source): InPieces<MetricsProof> {
  const { database } = subject;
  const before = source.table;
  const rowsBefore = countAll(database, "backup", before.name);
  const migrated: MigratedRows = {
    table: before,
    number: nextNumber(database, "backup"),
    in16: "main",
    before: "backup",
    idOffset: source.idOffset,
    where: source.owns("l.id", { table: before.name, id: "id" }),
  };
  const comparison = comparisonIn16(migrated);
  const kept = isRowId(database, "interactions")
    ? yield* countUnequalInPieces(database, comparison, "id")
    : countUnequal(database, comparison);
  const inQuarantine = proveQuarantine(subject, source);
  // The rows whose original values in converted columns a downgrade could not derive.
  const converted = keptColumns(before).filter(({ type }) => type !== undefined);
  const lossy =
    converted.length === 0 ? 0 : countUnequal(database, comparisonBefore(database, migrated, converted)).unequal;
  const origin = source.isMerged ? ` in the table ${before.name}` : "";
  const lost = rowsBefore - kept.rows - inQuarantine.rows;
  return {
    rowsBefore,
    rowsAfter: kept.rows,
    rowsQuarantined: inQuarantine.rows,
    differences: [
      ...(kept.unequal > 0 ? [`${rowsDiffer(kept.unequal, "interactions")}${origin}`] : []),
      ...(lossy > 0 ? [`the original values of ${rowsText(lossy)}${origin} are not recorded`] : []),
      ...(inQuarantine.unequal > 0 ? [rowsDiffer(inQuarantine.unequal, QUARANTINE_TABLE)] : []),
      ...(inQuarantine.repeated > 0 ? [`${rowsAre(inQuarantine.repeated, `of ${QUARANTINE_TABLE}`)} duplicated`] : []),
      ...(lost !== 0
        ? [`${rowsText(rowsBefore)} before${origin}, ${kept.rows} and ${inQuarantine.rows} in quarantine after`]
        : []),
    ],
  };
}

function proveQuarantine(subject: Subject, source: Source): { rows: number; unequal: number; repeated: number } {
  const before = source.table;
  const where = quarantinedCondition(subject, before);
  if (where === undefined) return { rows: 0, unequal: 0, repeated: 0 };
  const { database } = subject;
  const { columns } = before;
  const counted = countUnequal(database, {
    left: { schema: "main", table: QUARANTINE_TABLE, columns },
    right: { schema: "backup", table: before.name, columns },
    keys: [["id", "id"]],
    where,
  });
  const owns = source.owns("i.id", { table: before.name, id: "id" });
  const [once = 0, also = 0] = database
    .prepare(
      `SELECT count(DISTINCT l.id), count(i.id) FROM main.${QUARANTINE_TABLE} AS l LEFT JOIN main.interactions AS i ON i.id = l.id + ${source.idOffset} AND ${owns} WHERE ${where}`,
    )
    .raw()
    .get() as number[];
  return { ...counted, repeated: counted.rows - once + also };
}

const SIDE_COLUMNS = ["interaction_id", "metadata"];

/** Result of a proof of the metadata of one table. */
interface MetadataProof {
  rows: number;
  /** Number of these in the side table. */
  kept: number;
  differences: string[];
}

/** Proves that every metadata text is, byte for byte, in the side table or with its row in the quarantine. */
export function* proveMetadata(subject: Subject, owner: Source): InPieces<MetadataProof> {
  const before = owner.table;
  const { metadata } = before.names;
  if (metadata === null && !before.sideTable) return { rows: 0, kept: 0, differences: [] };
  const source =
    metadata === null
      ? { table: "interaction_metadata", columns: SIDE_COLUMNS, id: "interaction_id" }
      : { table: before.name, columns: ["id", metadata], id: "id" };
  const { database } = subject;
  const comparison: Comparison = {
    left: { schema: "main", table: "interaction_metadata", columns: SIDE_COLUMNS },
    right: { schema: "backup", table: source.table, columns: source.columns },
    keys: [["interaction_id", source.id]],
    keyOffset: owner.idOffset,
    where: `${owner.owns("l.interaction_id", source)}${reusesSideTable(before) ? ` AND l.interaction_id NOT IN (SELECT interaction_id FROM backup.interaction_metadata)` : ""}`,
  };
  const kept = isRowId(database, "interaction_metadata")
    ? yield* countUnequalInPieces(database, comparison, "interaction_id")
    : countUnequal(database, comparison);
  const total = single(
    database,
    `SELECT count(${sqlName(source.columns[1] as string)}) FROM backup.${sqlName(source.table)}`,
  );
  const inQuarantine = quarantined(subject, before, source);
  const left = reusesSideTable(before) ? proveFormerSideTable(subject) : { rows: 0, unequal: 0 };
  const unequal = kept.unequal + inQuarantine.unequal + left.unequal;
  return {
    rows: kept.rows + inQuarantine.rows + left.rows,
    kept: kept.rows,
    differences: [
      ...(unequal > 0 ? [`the metadata of ${rowsText(unequal)} differs from the original`] : []),
      ...(total === kept.rows + inQuarantine.rows
        ? []
        : [`${rowsText(total)} with metadata before, ${kept.rows + inQuarantine.rows} after`]),
    ],
  };
}

/** True if an earlier downgrade left the side table in addition to the column. */
function reusesSideTable({ names: { metadata }, sideTable }: MetricsTable): boolean {
  return metadata !== null && sideTable;
}

/** Proves that former rows of the side table are still in it. */
function proveFormerSideTable({ database }: Subject): { rows: number; unequal: number } {
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
  const where = quarantinedCondition(subject, before);
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
