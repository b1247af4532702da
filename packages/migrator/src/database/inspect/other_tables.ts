import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { agreeing, rowsText } from "../../core/rows_text.ts";
import { addedIds, type AddedRows, isMissing } from "../forward/added_rows.ts";
import { isSameRow, levelsInTable } from "../forward/level_source.ts";
import type { LevelTable, MetricsTable } from "../layouts/layout.ts";
import { sqlName } from "../sql/sql_text.ts";
import { blockingCondition } from "./row_checks.ts";

/** Maximum number of ids that are named. */
const NAMED = 5;

/** Data of another table with levels that a metrics table lacks. */
export interface OtherTable {
  table: LevelTable;
  /** Number of rows of the metrics table for which it has a level; 0 if they have levels. */
  levels: number;
  /** Rows that the metrics table lacks; null without any, or if they cannot be determined. */
  added: AddedRows | null;
  /** Number of rows that it lacks and that version 16 cannot hold. */
  unusable: number;
  /** Rows with the id of another row of the metrics table: their number, and the first ids. */
  different: { rows: number; ids: string[] };
}

/** @param isOnly False if there is a second metrics table, whose rows get other ids. */
export function compareWith(database: Database, metrics: MetricsTable, table: LevelTable, isOnly: boolean): OtherTable {
  const single = <Value>(sql: string): Value => database.prepare(sql).pluck().get() as Value;
  const [from, own] = [`main.${sqlName(table.name)} AS t`, `main.${sqlName(metrics.name)} AS e`];
  const different = `${from} JOIN ${own} ON e.id = t.id WHERE NOT ${isSameRow(table)}`;
  const rows = single<number>(`SELECT count(*) FROM ${different}`);
  return {
    table,
    levels: metrics.level === null ? single(`SELECT count(*) FROM (${levelsInTable(table, metrics.name)})`) : 0,
    added: table.hasInteractions && isOnly ? addedFrom(database, metrics, table) : null,
    unusable:
      table.hasInteractions && isOnly
        ? single(
            `SELECT count(*) FROM ${from} WHERE ${isMissing(table, metrics.name)} AND (${blockingCondition(table)})`,
          )
        : 0,
    different: {
      rows,
      ids:
        rows === 0
          ? []
          : (database
              .prepare(`SELECT DISTINCT CAST(t.id AS TEXT) FROM ${different} ORDER BY t.id LIMIT ${NAMED}`)
              .pluck()
              .all() as string[]),
    },
  };
}

function addedFrom(database: Database, metrics: MetricsTable, table: LevelTable): AddedRows | null {
  const { rows, first, last } = database
    .prepare(`SELECT count(*) AS rows, min(id) AS first, max(id) AS last FROM (${addedIds(table, metrics.name)})`)
    .get() as { rows: number; first: number; last: number };
  return rows === 0 ? null : { table, rows, first, last };
}

/** Notes on such a table for the operator; empty if the metrics table has all of its data. */
export function noteOn(
  { table, added, unusable, different }: OtherTable,
  metrics: MetricsTable,
  isNamed: boolean,
): string[] {
  const { name } = table;
  return [
    ...(added === null || isNamed
      ? []
      : [
          `the table ${name} has ${rowsText(added.rows)} with levels that ${metrics.name} lacks (${idsText(added)}); ${option(name)} adds ${agreeing(added.rows, "it", "them")} and keeps the table unchanged`,
        ]),
    ...(unusable === 0 || !isNamed
      ? []
      : [
          `${rowsText(unusable)} of ${name} ${agreeing(unusable, "is", "are")} invalid in version 16 and ${agreeing(unusable, "stays", "stay")} only in that table`,
        ]),
    ...(different.rows === 0 || !isNamed
      ? []
      : [
          `${rowsText(different.rows)} of ${name} ${agreeing(different.rows, "has", "have")} the id of a different row of ${metrics.name} (${different.ids.join(", ")}${different.rows > different.ids.length ? ", …" : ""}); ${agreeing(different.rows, "it is", "they are")} not used and ${agreeing(different.rows, "stays", "stay")} only in that table`,
        ]),
  ];
}

function idsText({ rows, first, last }: AddedRows): string {
  return rows === 1 ? `id ${first}` : `ids from ${first} to ${last}`;
}

/** The option that names a table; in double quotes if the name is ambiguous. */
export function option(name: string): string {
  return `--missing-level ${optionValue(name)}`;
}

/** The value of that option. */
export function optionValue(name: string): string {
  return `from-table,${name.startsWith('"') || /,[1-5]$/.test(name) ? `"${name.replaceAll('"', '""')}"` : name}`;
}

/** The reason to refuse a database without a metrics table: interactions are in a table of another name. */
export function renamedSentence({ name, metadata }: LevelTable): string {
  const former = metadata === null ? "interactions" : "metrics";
  return `The table ${name} contains interactions with levels, but there is no table interactions or metrics: it was renamed, or an upgrade was interrupted. Restore its name, for example with ALTER TABLE ${sqlName(name)} RENAME TO ${former}, then run this command again.`;
}
