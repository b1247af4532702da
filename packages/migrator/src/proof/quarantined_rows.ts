import type { MetricsTable } from "../databases/metrics_table.ts";
import { columnsOfQuarantine, QUARANTINE_TABLE, quarantineColumns } from "../databases/quarantine_table.ts";
import { rowIdName } from "../databases/row_id.ts";
import { sqlName, sqlText } from "../databases/sql_text.ts";
import type { Subject } from "./subject.ts";

/**
 * SQL over the alias `l` that is true for the rows of the quarantine that this migration set aside, and not for those of
 * an earlier one. Undefined where there is no quarantine.
 */
export function setAside({ database }: Subject, before: MetricsTable): string | undefined {
  const { source } = quarantineColumns(before);
  const columns = columnsOfQuarantine(database, "main");
  // Without that column it is a table of the user.
  if (columns?.some((column) => column.toLowerCase() === source) !== true) return undefined;
  const rowId = rowIdName(QUARANTINE_TABLE, columns);
  const earlier =
    columnsOfQuarantine(database, "backup") === undefined
      ? "0"
      : `(SELECT ifnull(max(${rowId}), 0) FROM backup.${QUARANTINE_TABLE})`;
  return `l.${sqlName(source)} = ${sqlText(before.name)} AND l.${rowId} > ${earlier}`;
}
