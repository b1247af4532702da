import { QUARANTINE_TABLE } from "../databases/quarantine_table.ts";
import { isRowId } from "../databases/row_id.ts";
import type { InPieces } from "../core/progress.ts";
import { countUnequalInPieces } from "./count_in_pieces.ts";
import { type Comparison, countAll, countUnequal } from "./count_unequal.ts";
import { setAside } from "./quarantined_rows.ts";
import type { Source } from "./sources.ts";
import type { Subject } from "./subject.ts";
import { rowsAre, rowsText } from "../core/rows_text.ts";

/** Where the rows of a metrics table went. */
export interface MetricsProof {
  rowsBefore: number;
  rowsAfter: number;
  rowsQuarantined: number;
  differences: string[];
}

/**
 * Every row of an old table is, value for value, in `interactions` or in the quarantine, once; and nothing else is.
 * The ids are keys on both sides, so equal rows that are as many as before are the rows that were there before.
 */
export function* proveMetrics(subject: Subject, source: Source): InPieces<MetricsProof> {
  const { database } = subject;
  const before = source.table;
  const rowsBefore = countAll(database, "backup", before.name, source.part);
  const columns = subject.quick === true ? ["id"] : before.columns.filter((column) => column !== before.metadata);
  const comparison: Comparison = {
    left: {
      schema: "main",
      table: "interactions",
      columns: columns.map((column) => (column === before.level ? "level" : column)),
    },
    right: { schema: "backup", table: before.name, columns },
    keys: [["id", "id"]],
    keyOffset: source.idOffset,
    where: source.owns("l.id", { table: before.name, id: "id" }),
  };
  const kept = isRowId(database, "interactions")
    ? yield* countUnequalInPieces(database, comparison, "id")
    : countUnequal(database, comparison);
  const aside = proveQuarantine(subject, source);
  const origin = source.joined ? ` in the table ${before.name}` : "";
  const lost = rowsBefore - kept.rows - aside.rows;
  return {
    rowsBefore,
    rowsAfter: kept.rows,
    rowsQuarantined: aside.rows,
    differences: [
      ...(kept.unequal > 0 ? [`${rowsAre(kept.unequal, "of interactions")} not as before${origin}`] : []),
      ...(aside.unequal > 0 ? [`${rowsAre(aside.unequal, `of ${QUARANTINE_TABLE}`)} not as before`] : []),
      ...(aside.repeated > 0 ? [`${rowsAre(aside.repeated, `of ${QUARANTINE_TABLE}`)} there twice`] : []),
      ...(lost !== 0
        ? [`${rowsText(rowsBefore)} before, ${kept.rows} and ${aside.rows} in quarantine after${origin}`]
        : []),
    ],
  };
}

function proveQuarantine(subject: Subject, source: Source): { rows: number; unequal: number; repeated: number } {
  const before = source.table;
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
  const owns = source.owns("i.id", { table: before.name, id: "id" });
  const [once = 0, also = 0] = database
    .prepare(
      `SELECT count(DISTINCT l.id), count(i.id) FROM main.${QUARANTINE_TABLE} AS l LEFT JOIN main.interactions AS i ON i.id = l.id + ${source.idOffset} AND ${owns} WHERE ${where}`,
    )
    .raw()
    .get() as number[];
  return { ...counted, repeated: counted.rows - once + also };
}
