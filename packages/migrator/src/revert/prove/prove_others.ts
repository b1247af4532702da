import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { columnsOfQuarantine, QUARANTINE_TABLE } from "../../databases/quarantine_table.ts";
import { rowIdName } from "../../databases/row_id.ts";
import { countAll, countUnequal } from "../../proof/count_unequal.ts";
import type { InPieces } from "../../core/progress.ts";
import { tablesOfBackup, unequalRows } from "../../proof/prove_other_tables.ts";
import type { VerificationReport } from "../../core/report.ts";
import { handledTables } from "../names.ts";
import { proveRestored } from "./prove_patterns.ts";
import { staying } from "../quarantine_shares.ts";
import type { Reversion } from "../reversion.ts";
import { rowsAre, rowsText } from "../../core/rows_text.ts";

/** Tables that the way back has no business with are as they were, row by row; later on programs change them. */
export function* proveOthers(
  database: Database,
  reversion: Reversion,
  later: boolean,
): InPieces<{ tables: VerificationReport["other_tables"]; differences: string[] }> {
  const handled = handledTables(reversion.form);
  const present = new Set(database.prepare("SELECT name FROM pragma_table_list WHERE schema = 'main'").pluck().all());
  const differences = later ? [] : proveStaying(database, reversion);
  const tables: VerificationReport["other_tables"] = [];
  for (const table of tablesOfBackup(database).filter(({ name }) => !handled.has(name.toLowerCase()))) {
    const { name } = table;
    const rows = countAll(database, "backup", name);
    const restored = proveRestored(database, name, reversion.patterns);
    const unequal = present.has(name) ? yield* unequalRows(database, table, false, restored.unchanged) : rows;
    const after = present.has(name) ? countAll(database, "main", name) : 0;
    if (!later) differences.push(...restored.differences);
    if (!later && (unequal > 0 || after !== rows + restored.returned))
      differences.push(`${rowsAre(unequal, `of ${name}`)} not as before; ${rowsText(rows)} before, ${after} after`);
    tables.push({ table: name, rows, quarantined: 0, repaired: 0, changed_since: later ? unequal : 0 });
  }
  return { tables, differences };
}

/** Rows of the quarantine that have no place in the old layout are still in it. */
function proveStaying(database: Database, { shares, patterns }: Reversion): string[] {
  const columns = columnsOfQuarantine(database, "backup");
  if (columns === undefined) return [];
  const where = staying([...shares, ...patterns], "l");
  const before = database
    .prepare(`SELECT count(*) FROM backup.${QUARANTINE_TABLE} AS l WHERE ${where}`)
    .pluck()
    .get() as number;
  if (before === 0) return [];
  if (columnsOfQuarantine(database, "main") === undefined) return [`${rowsAre(before, `of ${QUARANTINE_TABLE}`)} gone`];
  const rowId = rowIdName(QUARANTINE_TABLE, columns);
  const { unequal } = countUnequal(database, {
    left: { schema: "backup", table: QUARANTINE_TABLE, columns },
    right: { schema: "main", table: QUARANTINE_TABLE, columns },
    keys: [[rowId, rowId]],
    where,
  });
  return unequal === 0 ? [] : [`${rowsAre(unequal, `of ${QUARANTINE_TABLE}`)} not as before`];
}
