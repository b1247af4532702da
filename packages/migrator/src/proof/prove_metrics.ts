import type { MetricsTable } from "../databases/metrics_table.ts";
import { QUARANTINE_TABLE } from "../databases/quarantine_table.ts";
import { sqlName } from "../databases/sql_text.ts";
import { countAll, countUnequal } from "./count_unequal.ts";
import { setAside } from "./quarantined_rows.ts";
import type { Subject } from "./subject.ts";

/** Where the rows of the metrics table went. */
export interface MetricsProof {
  rowsBefore: number;
  rowsAfter: number;
  rowsQuarantined: number;
  rowsAddedSince: number;
  differences: string[];
}

/**
 * Every row of the old table is, value for value, in `interactions` or in the quarantine, once; and nothing else is.
 * The ids are keys on both sides, so equal rows that are as many as before are the rows that were there before.
 */
export function proveMetrics(subject: Subject, before: MetricsTable): MetricsProof {
  const { database, later } = subject;
  const rowsBefore = countAll(database, "backup", before.name);
  const newest = `(SELECT ifnull(max(id), 0) FROM backup.${sqlName(before.name)})`;
  const columns = before.columns.filter((column) => column !== before.metadata);
  const kept = countUnequal(database, {
    left: {
      schema: "main",
      table: "interactions",
      columns: columns.map((column) => (column === before.level ? "level" : column)),
    },
    right: { schema: "backup", table: before.name, columns },
    keys: [["id", "id"]],
    where: later ? `l.id <= ${newest}` : undefined,
  });
  const aside = proveQuarantine(subject, before);
  const rowsAddedSince = later ? countAll(database, "main", "interactions") - kept.rows : 0;
  const lost = rowsBefore - kept.rows - aside.rows;
  return {
    rowsBefore,
    rowsAfter: kept.rows,
    rowsQuarantined: aside.rows,
    rowsAddedSince,
    differences: [
      ...(kept.unequal > 0 ? [`${kept.unequal} rows of interactions are not as they were`] : []),
      ...(aside.unequal > 0 ? [`${aside.unequal} rows of ${QUARANTINE_TABLE} are not as they were`] : []),
      ...(aside.repeated > 0 ? [`${aside.repeated} rows of ${QUARANTINE_TABLE} are there twice`] : []),
      ...(lost !== 0 ? [`${rowsBefore} rows before, ${kept.rows} and ${aside.rows} in quarantine after`] : []),
    ],
  };
}

function proveQuarantine(subject: Subject, before: MetricsTable): { rows: number; unequal: number; repeated: number } {
  const where = setAside(subject, before);
  if (where === undefined) return { rows: 0, unequal: 0, repeated: 0 };
  const { database } = subject;
  const { columns } = before;
  const counted = countUnequal(database, {
    left: { schema: "main", table: QUARANTINE_TABLE, columns },
    right: { schema: "backup", table: before.name, columns },
    keys: [["id", "id"]],
    where,
  });
  const [once = 0, also = 0] = database
    .prepare(
      `SELECT count(DISTINCT l.id), count(i.id) FROM main.${QUARANTINE_TABLE} AS l LEFT JOIN main.interactions AS i ON i.id = l.id WHERE ${where}`,
    )
    .raw()
    .get() as number[];
  return { ...counted, repeated: counted.rows - once + also };
}
