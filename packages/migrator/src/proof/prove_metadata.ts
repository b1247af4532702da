import type { MetricsTable } from "../databases/metrics_table.ts";
import { QUARANTINE_TABLE, quarantineColumns } from "../databases/quarantine_table.ts";
import { sqlName } from "../databases/sql_text.ts";
import { countUnequal } from "./count_unequal.ts";
import { setAside } from "./quarantined_rows.ts";
import type { Subject } from "./subject.ts";

const SIDE_COLUMNS = ["interaction_id", "metadata"];

/** Every metadata text is, byte for byte, in the side table or with its row in the quarantine. */
export function proveMetadata(subject: Subject, before: MetricsTable): { rows: number; differences: string[] } {
  if (before.metadata === null && !before.sideTable) return { rows: 0, differences: [] };
  const source =
    before.metadata === null
      ? { table: "interaction_metadata", columns: SIDE_COLUMNS, id: "interaction_id" }
      : { table: before.name, columns: ["id", before.metadata], id: "id" };
  const { database } = subject;
  const newest = `(SELECT ifnull(max(${source.id}), 0) FROM backup.${sqlName(source.table)})`;
  const kept = countUnequal(database, {
    left: { schema: "main", table: "interaction_metadata", columns: SIDE_COLUMNS },
    right: { schema: "backup", table: source.table, columns: source.columns },
    keys: [["interaction_id", source.id]],
    where: subject.later ? `l.interaction_id <= ${newest}` : undefined,
  });
  const total = single(
    database,
    `SELECT count(${sqlName(source.columns[1] as string)}) FROM backup.${sqlName(source.table)}`,
  );
  const aside = quarantined(subject, before, source);
  return {
    rows: kept.rows + aside.rows,
    differences: [
      ...(kept.unequal + aside.unequal > 0
        ? [`the metadata of ${kept.unequal + aside.unequal} rows is not as it was`]
        : []),
      ...(total === kept.rows + aside.rows
        ? []
        : [`${total} rows with metadata before, ${kept.rows + aside.rows} after`]),
    ],
  };
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
