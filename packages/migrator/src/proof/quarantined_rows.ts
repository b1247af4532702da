import type { MetricsTable } from "../databases/metrics_table.ts";
import { columnsOfQuarantine, QUARANTINE_TABLE, quarantineColumns } from "../databases/quarantine_table.ts";
import { rowIdName } from "../databases/row_id.ts";
import { sqlName, sqlText } from "../databases/sql_text.ts";
import type { Subject } from "./subject.ts";

/**
 * SQL over the alias `l` that is true for the rows of the quarantine that this migration set aside, and not for those of
 * an earlier one. Undefined where there is no quarantine, or one that rows of that table never were in.
 */
export function setAside({ database }: Subject, before: MetricsTable): string | undefined {
  const { source, row } = quarantineColumns(before);
  const columns = columnsOfQuarantine(database, "main");
  const names = new Set(columns?.map((column) => column.toLowerCase()));
  // Without its columns it is a table of the user, or what an earlier migration set aside from another table.
  if (columns === undefined || ![source, ...row].every((column) => names.has(column.toLowerCase()))) return undefined;
  const rowId = rowIdName(QUARANTINE_TABLE, columns);
  const earlier =
    columnsOfQuarantine(database, "backup") === undefined
      ? "0"
      : `(SELECT ifnull(max(${rowId}), 0) FROM backup.${QUARANTINE_TABLE})`;
  return `l.${sqlName(source)} = ${sqlText(before.name)} AND l.${rowId} > ${earlier}`;
}
