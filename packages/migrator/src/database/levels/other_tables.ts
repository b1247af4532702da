import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { sqlName } from "@perdura/internals/text/quoted_sql.js";
import { agreeing, rowsText } from "../../core/rows_text.ts";
import { isSameRow, levelsInTable } from "./level_source.ts";
import type { LevelTable } from "../layouts/level_tables.ts";
import type { MetricsTable } from "../layouts/metrics_table.ts";
import { metricsTables } from "../layouts/table_layouts.ts";
import { countFrom } from "../sql/count_from.ts";
import { sqlNames } from "../sql/sql_text.ts";

/** Maximum number of ids that are named. */
const NAMED = 5;

/** Data of another table with levels that a metrics table lacks. */
export interface OtherTable {
  table: LevelTable;
  /** Number of rows of the metrics table for which it has a level; 0 if they have levels. */
  levels: number;
  /** Rows with ids that the metrics table lacks; null without any, or if it has no columns for interactions. */
  alone: { rows: number; first: string; last: string } | null;
  /** Rows with the id of another row of the metrics table: their number, and the first ids. */
  different: { rows: number; ids: string[] };
}

export function compareWith(database: Database, metrics: MetricsTable, table: LevelTable): OtherTable {
  const [from, own] = [`main.${sqlName(table.name)} AS t`, `main.${sqlName(metrics.name)} AS e`];
  const different = `${from} JOIN ${own} ON e.id = t.id WHERE NOT ${isSameRow(table, metrics)}`;
  const rows = countFrom(database, different);
  const alone = database
    .prepare(
      `SELECT count(*) AS rows, CAST(min(id) AS TEXT) AS first, CAST(max(id) AS TEXT) AS last FROM ${from} WHERE ${isAlone(metrics)}`,
    )
    .get() as { rows: number; first: string; last: string };
  return {
    table,
    levels: metrics.names.level === null ? countFrom(database, `(${levelsInTable(table, metrics)})`) : 0,
    alone: table.hasInteractions && alone.rows > 0 ? alone : null,
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

/** SQL that is true for a row `t` whose id the metrics table lacks. */
function isAlone({ name }: MetricsTable): string {
  return `typeof(t.id) = 'integer' AND t.id NOT IN (SELECT id FROM ${sqlName(name)})`;
}

/** A statement for the operator that adds these rows to the metrics table. */
function insertion(table: LevelTable, metrics: MetricsTable): string {
  const targets = new Map([
    ...metrics.columns.map((column) => [column.toLowerCase(), column] as const),
    ...Object.entries(metrics.names).flatMap(([column, to]) => {
      const from = table.names[column as keyof typeof table.names];
      return from === null || from === "" || to === null ? [] : [[from.toLowerCase(), to] as const];
    }),
  ]);
  const columns = table.columns.filter((column) => targets.has(column.toLowerCase()));
  const into = columns.map((column) => targets.get(column.toLowerCase()) as string);
  return `INSERT INTO ${sqlName(metrics.name)} (${sqlNames(into)}) SELECT ${sqlNames(columns)} FROM ${sqlName(table.name)} AS t WHERE ${isAlone(metrics)};`;
}

/** Notes on such a table for the operator; empty if the metrics table has all of its data. */
export function noteOn({ table, alone, different }: OtherTable, metrics: MetricsTable, isNamed: boolean): string[] {
  const { name } = table;
  return [
    ...(alone === null
      ? []
      : [
          `the table ${name} has ${rowsText(alone.rows)} that ${metrics.name} lacks (${idsText(alone)}), and ${agreeing(alone.rows, "keeps it", "keeps them")}. To migrate ${agreeing(alone.rows, "it", "them")} as well, run this statement first${table.names.metadata !== null && metrics.names.metadata === null ? ", which does not copy its metadata" : ""}: ${insertion(table, metrics)}`,
        ]),
    ...(different.rows === 0 || !isNamed
      ? []
      : [
          `${rowsText(different.rows)} of ${name} ${agreeing(different.rows, "has", "have")} the id of a different row of ${metrics.name} (${different.ids.join(", ")}${different.rows > different.ids.length ? ", …" : ""}); ${agreeing(different.rows, "it is", "they are")} not used and ${agreeing(different.rows, "stays", "stay")} only in that table`,
        ]),
  ];
}

function idsText({ rows, first, last }: NonNullable<OtherTable["alone"]>): string {
  return rows === 1 ? `id ${first}` : `ids from ${first} to ${last}`;
}

/** The option that names a table; in double quotes if the name is ambiguous. */
export function option(name: string): string {
  return `--missing-level ${optionValue(name)}`;
}

/** The option that names a file. */
export function fileOption(path: string): string {
  return `--missing-level ${fileOptionValue(path)}`;
}

/** The value of that option. */
export function optionValue(name: string): string {
  return `from-table,${unambiguous(name)}`;
}

/** The value of {@link fileOption}. */
export function fileOptionValue(path: string): string {
  return `from-file,${unambiguous(path)}`;
}

function unambiguous(name: string): string {
  return name.startsWith('"') || /,[1-5]$/.test(name) ? `"${name.replaceAll('"', '""')}"` : name;
}

/** The reason to refuse a database without a metrics table: interactions are in a table of another name. */
export function renamedSentence({ name, former }: LevelTable): string {
  return `The table ${name} contains interactions with levels, but there is no table ${metricsTables().join(" or ")}: it was renamed, or an upgrade was interrupted. Restore its name, for example with ALTER TABLE ${sqlName(name)} RENAME TO ${sqlName(former)}, then run this command again.`;
}
