import type { Database } from "@perdura/internals/sqlite/open_database.js";
import type { MetricsTable } from "../databases/metrics_table.ts";
import { columnsOfQuarantine, QUARANTINE_TABLE, quarantineColumns } from "../databases/quarantine_table.ts";
import { rowIdName } from "../databases/row_id.ts";
import { sqlName, sqlText } from "../databases/sql_text.ts";
import type { MigrationRecord } from "../record/migration_record.ts";
import type { OldForm } from "./old_form.ts";
import { formerId, isUnited, unitedBy } from "./united.ts";

/** Rows of the quarantine that one migration took out of one table, and where they go. */
export interface QuarantineShare {
  /** SQL that is true for them; given the alias of the quarantine. */
  where: (row: string) => string;
  from: MetricsTable;
  to: MetricsTable;
  /** What is added to their ids. */
  idOffset: number;
  rows: number;
}

/**
 * Which rows of the quarantine go back where. Those that a later migration took out of a table of other columns, or
 * whose new ids nobody knows, are not among them: they stay in the quarantine.
 */
export function quarantineShares(database: Database, form: OldForm): QuarantineShare[] {
  const columns = columnsOfQuarantine(database, "main");
  const { metrics, second } = form;
  if (columns === undefined || metrics === null) return [];
  const rowId = rowIdName(QUARANTINE_TABLE, columns);
  return form.records.flatMap(({ number, former, result }, index): QuarantineShare[] => {
    if (index < form.base || result.quarantined === null) return [];
    const [after, until] = [integer(former.quarantined), integer(result.quarantined)];
    const later = index > form.base ? unitedBy(database, number) : null;
    const pairs: [from: MetricsTable | null, to: MetricsTable | null, idOffset: number | null][] = [
      [former.metrics, metrics, 0],
      index === form.base ? [former.second, second, 0] : [former.second, metrics, later?.idOffset ?? null],
    ];
    return pairs.flatMap(([from, to, idOffset]): QuarantineShare[] => {
      if (from === null || to === null || idOffset === null || !fits(from, to)) return [];
      const { source } = quarantineColumns(from);
      if (!columns.some((column) => column.toLowerCase() === source)) return [];
      const where = (row: string): string =>
        `${row}.${sqlName(source)} = ${sqlText(from.name)} AND ${row}.${rowId} > ${after} AND ${row}.${rowId} <= ${until}`;
      const share = { where, from, to, idOffset, rows: count(database, where("q")) };
      // Under an id that is not its own a row gives way; under its own somebody has to say which of the two counts.
      return share.rows === 0 || (idOffset !== 0 && takenId(database, share, form) !== undefined) ? [] : [share];
    });
  });
}

/** The id of a row that was set aside, as text, where a row of `interactions` has its id now; undefined where none has. */
export function takenId(
  database: Database,
  { where, to, idOffset }: QuarantineShare,
  { base, records, second }: OldForm,
): string | undefined {
  const range = to === second ? unitedBy(database, (records[base] as MigrationRecord).number) : null;
  const ids =
    to === second
      ? `(SELECT ${formerId(range, "i.id")} FROM main.interactions AS i WHERE ${isUnited(range, "i.id")})`
      : "(SELECT i.id FROM main.interactions AS i)";
  return database
    .prepare(
      `SELECT quote(q.id) FROM main.${QUARANTINE_TABLE} AS q WHERE ${where("q")} AND (q.id IS NULL OR q.id + ${idOffset} IN ${ids}) LIMIT 1`,
    )
    .pluck()
    .get() as string | undefined;
}

/** How many rows of the quarantine belong to no share. */
export function staysInQuarantine(database: Database, shares: readonly Pick<QuarantineShare, "where">[]): number {
  if (columnsOfQuarantine(database, "main") === undefined) return 0;
  return count(database, staying(shares, "q"));
}

/** SQL that is true for a row of the quarantine that belongs to no share. */
export function staying(shares: readonly Pick<QuarantineShare, "where">[], row: string): string {
  return `NOT (${shares.map(({ where }) => `(${where(row)})`).join(" OR ") || "false"})`;
}

function count(database: Database, where: string): number {
  return database.prepare(`SELECT count(*) FROM main.${QUARANTINE_TABLE} AS q WHERE ${where}`).pluck().get() as number;
}

/** Every value of a row has its place in the other table. */
function fits(from: MetricsTable, to: MetricsTable): boolean {
  const names = (table: MetricsTable): string[] =>
    table.columns
      .filter((column) => column !== table.level && column !== table.metadata)
      .map((column) => column.toLowerCase())
      .toSorted();
  return (from.level === null) === (to.level === null) && names(from).join("\n") === names(to).join("\n");
}

/** A number that was kept as text; nothing else gets into a statement. */
function integer(text: string | null): string {
  return String(BigInt(text ?? "0"));
}
