import { INTERACTION_METADATA_TABLE } from "@perdura/internals/metrics/schema.js";
import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { sqlName, sqlText } from "@perdura/internals/text/quoted_sql.js";
import { Stop } from "../../core/stop.ts";
import type { SchemaEntry } from "../sql/catalog.ts";
import { columnPairs, keptColumns, type MetricsTable, SIDE_TABLE } from "../layouts/metrics_table.ts";
import type { QuarantinedShare } from "../proof/prove_rows.ts";
import { type MigrationRecord, quarantinedBy } from "../record/migration_record.ts";
import { columnsOfQuarantine, countQuarantined, QUARANTINE_TABLE, quarantineColumns } from "../record/quarantine.ts";
import { formerId, isMerged, checkedMergedRange, type MergedRange } from "../record/merged_rows.ts";
import { ignoringChecks } from "../sql/ignoring_checks.ts";
import { rowIdName } from "../sql/row_id.ts";
import { type RowChange, runForRows } from "../steps/fired_triggers.ts";
import { sqlNames } from "../sql/sql_text.ts";
import type { Step } from "../steps/step.ts";
import { type FormerState } from "./former_state.ts";
import { addRows } from "./restore_rows.ts";
import { countFrom } from "../sql/count_from.ts";

/** Rows of the quarantine that one migration took from one table, with their destination and number. */
export interface QuarantinedRows extends QuarantinedShare {
  rows: number;
}

/**
 * The rows of the quarantine that return to a table. Rows that a later migration took from a table with other columns,
 * or whose new ids are unknown, stay in the quarantine.
 */
export function quarantinedRows(database: Database, state: FormerState): QuarantinedRows[] {
  const columns = columnsOfQuarantine(database, "main");
  const { metrics, second } = state;
  if (columns === undefined || metrics === null) return [];
  const rowId = rowIdName(QUARANTINE_TABLE, columns);
  return state.records.flatMap((record, index): QuarantinedRows[] => {
    const { number, former } = record;
    const isTheirs = quarantinedBy(record, rowId);
    if (index < state.index || isTheirs === undefined) return [];
    const later = index > state.index ? checkedMergedRange(database, number) : null;
    const pairs: [from: MetricsTable | null, to: MetricsTable | null, idOffset: number | null][] = [
      [former.metrics, metrics, 0],
      index === state.index ? [former.second, second, 0] : [former.second, metrics, later?.idOffset ?? null],
    ];
    return pairs.flatMap(([from, to, idOffset]): QuarantinedRows[] => {
      if (from === null || to === null || idOffset === null || !fits(from, to)) return [];
      const { source } = quarantineColumns(from);
      if (!columns.some((column) => column.toLowerCase() === source)) return [];
      const where = (row: string): string => `${row}.${sqlName(source)} = ${sqlText(from.name)} AND ${isTheirs(row)}`;
      const share = { where, from, to, idOffset, rows: countQuarantined(database, where) };
      // A row stays in the quarantine if the new id computed for it is taken; if its own id is taken, the operator has
      // to decide which row counts.
      return share.rows === 0 || (idOffset !== 0 && takenId(database, share, state) !== undefined) ? [] : [share];
    });
  });
}

/** The id of a quarantined row, as text, that a row of `interactions` has now; undefined without a conflict. */
function takenId(
  database: Database,
  { where, to, idOffset }: QuarantinedRows,
  { index: base, records, second }: FormerState,
): string | undefined {
  const range = to === second ? checkedMergedRange(database, (records[base] as MigrationRecord).number) : null;
  const ids =
    to === second
      ? `(SELECT ${formerId(range, "i.id")} FROM main.interactions AS i WHERE ${isMerged(range, "i.id")})`
      : "(SELECT i.id FROM main.interactions AS i)";
  return database
    .prepare(
      `SELECT quote(q.id) FROM main.${QUARANTINE_TABLE} AS q WHERE ${where("q")} AND (q.id IS NULL OR q.id + ${idOffset} IN ${ids}) LIMIT 1`,
    )
    .pluck()
    .get() as string | undefined;
}

/** Number of rows of the quarantine that belong to no share. */
export function countStaying(database: Database, shares: readonly Pick<QuarantinedRows, "where">[]): number {
  if (columnsOfQuarantine(database, "main") === undefined) return 0;
  return countQuarantined(database, (row) => stayingCondition(shares, row));
}

/** SQL that is true for a row of the quarantine that belongs to no share. */
export function stayingCondition(shares: readonly Pick<QuarantinedRows, "where">[], row: string): string {
  return `NOT (${shares.map(({ where }) => `(${where(row)})`).join(" OR ") || "false"})`;
}

/** True if every value of a row has a place in the other table. */
function fits(from: MetricsTable, to: MetricsTable): boolean {
  const pairs = columnPairs(from, to).length;
  return pairs === keptColumns(from).length && pairs === keptColumns(to).length;
}

/**
 * Returns quarantined rows to their table, value by value.
 *
 * @param triggers The user's triggers on a second table, which are created again later.
 */
export function restoreStep(share: QuarantinedRows, { second }: FormerState, triggers: readonly SchemaEntry[]): Step {
  const { rows, to } = share;
  const entered: RowChange[] = [
    { table: to === second ? to.name : "interactions", kind: "insert" },
    ...(to.names.metadata === null ? [{ table: SIDE_TABLE, kind: "insert" } as const] : []),
  ];
  return {
    title: `restore ${rows} ${rows === 1 ? "row" : "rows"} from ${QUARANTINE_TABLE} to the table ${to.name}`,
    changes: entered,
    run: (database) =>
      addRows(database, [to.name, SIDE_TABLE], to === second ? triggers : [], () => restoreRows(database, share)),
  };
}

function restoreRows(database: Database, share: QuarantinedRows): void {
  const { where, from, to, idOffset } = share;
  const { metadata } = quarantineColumns(from);
  const id = idOffset === 0 ? "q.id" : `q.id + (${idOffset})`;
  const sources = new Map(columnPairs(to, from));
  const filled = to.columns.map((column): [string, string] => [
    column,
    column.toLowerCase() === "id" ? id : `q.${sqlName(sources.get(column) ?? metadata)}`,
  ]);
  const rows = `FROM main.${QUARANTINE_TABLE} AS q WHERE ${where("q")}`;
  ignoringChecks(database, () =>
    runForRows(
      database,
      to.name,
      `INSERT INTO main.${sqlName(to.name)} (${sqlNames(filled.map(([column]) => column))}) SELECT ${filled.map(([, value]) => value).join(", ")} ${rows} ORDER BY q.id`,
      countQuarantined(database, where),
    ),
  );
  if (to.names.metadata === null && hasMetadata(database, share)) {
    database.exec(INTERACTION_METADATA_TABLE);
    database.exec(
      `INSERT INTO main.${SIDE_TABLE} SELECT ${id}, q.${sqlName(metadata)} ${rows} AND q.${sqlName(metadata)} IS NOT NULL ORDER BY q.id`,
    );
  }
  database.exec(`DELETE FROM main.${QUARANTINE_TABLE} AS q WHERE ${where("q")}`);
}

/** True if a row has metadata for the side table. */
function hasMetadata(database: Database, { where, from }: QuarantinedRows): boolean {
  const metadata = sqlName(quarantineColumns(from).metadata);
  const present = new Set(columnsOfQuarantine(database, "main")?.map(sqlName));
  return (
    present.has(metadata) &&
    database
      .prepare(`SELECT 1 FROM main.${QUARANTINE_TABLE} AS q WHERE ${where("q")} AND q.${metadata} IS NOT NULL LIMIT 1`)
      .get() !== undefined
  );
}

/** @throws Stop if another row has the id of a quarantined one: the two could not be distinguished. */
export function assertIdsAreFree(database: Database, shares: readonly QuarantinedRows[], state: FormerState): void {
  for (const share of shares) {
    const taken = takenId(database, share, state);
    if (taken !== undefined)
      throw new Stop(
        "refused",
        `Cannot restore the row ${taken} from ${QUARANTINE_TABLE}: interactions has a row with the same id. If you have corrected the row, delete it from ${QUARANTINE_TABLE}, then run this command again.`,
      );
  }
}

/** Number of rows of the side table that have no column to return to. */
export function metadataLeft(
  database: Database,
  { metrics }: FormerState,
  mergedRange: MergedRange | null,
  shares: readonly QuarantinedRows[],
): number {
  const inColumn = metrics?.names.metadata === null ? "false" : "interaction_id IN (SELECT id FROM main.interactions)";
  const left = countFrom(
    database,
    `main.${SIDE_TABLE} WHERE NOT (${isMerged(mergedRange, "interaction_id")}) AND NOT (${inColumn})`,
  );
  return left + shares.filter((share) => share.to.names.metadata === null && hasMetadata(database, share)).length;
}
