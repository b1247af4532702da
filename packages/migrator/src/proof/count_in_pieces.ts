import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { sqlName } from "../databases/sql_text.ts";
import { idRanges } from "../inspect/id_ranges.ts";
import type { InPieces } from "../core/progress.ts";
import { type Comparison, countAll, countUnequal } from "./count_unequal.ts";

/**
 * Does what {@link countUnequal} does, one range of row ids after the other.
 *
 * @param id The row id of the left side, or a column that is one.
 */
export function* countUnequalInPieces(
  database: Database,
  comparison: Comparison,
  id: string,
): InPieces<{ rows: number; unequal: number }> {
  const { left, where } = comparison;
  const total = countAll(database, left.schema, left.table);
  const found = { rows: 0, unequal: 0 };
  const ranges = idRanges(database, `${left.schema}.${sqlName(left.table)}`, sqlName(id), total);
  for (const { first, last } of ranges) {
    if (first !== ranges[0]?.first) yield { done: found.rows, total };
    const range = `l.${sqlName(id)} BETWEEN ${first} AND ${last}`;
    const part = countUnequal(database, {
      ...comparison,
      where: where === undefined ? range : `(${where}) AND ${range}`,
    });
    found.rows += part.rows;
    found.unequal += part.unequal;
  }
  return found;
}
