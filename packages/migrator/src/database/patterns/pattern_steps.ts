import { countText } from "@perdura/cli/quantities.js";
import { hasRowid, hasTable } from "@perdura/internals/sqlite/catalog.js";
import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { sqlName, sqlText } from "@perdura/internals/text/quoted_sql.js";
import { agreeing } from "../../core/rows_text.ts";
import { assertRowsUnreferenced } from "../objects/foreign_keys.ts";
import { nextNumber } from "../record/migration_record.ts";
import {
  addQuarantineColumns,
  assertQuarantineIsOurs,
  QUARANTINE_TABLE,
  quarantineColumns,
} from "../record/quarantine.ts";
import {
  assertNameIsOurs,
  REPAIRED_VALUES,
  REPAIRED_VALUES_INDEX,
  REPAIRED_VALUES_TABLE,
} from "../record/side_tables.ts";
import { columnsOfTable } from "../sql/catalog.ts";
import { rowIdName } from "../sql/row_id.ts";
import { changeRows, type RowChange, runForRows } from "../steps/fired_triggers.ts";
import { sqlNames } from "../sql/sql_text.ts";
import type { Step } from "../steps/step.ts";
import { assertUsageFollows } from "./followed_ids.ts";
import { idOfKey } from "./id_keys.ts";
import { moveUsage } from "./assigned_ids.ts";
import type { PatternSurvey } from "./survey_patterns.ts";

/** The tables of a pattern library; usage moves with its pattern. */
export const PATTERN_TABLES = ["patterns", "pattern_usage"] as const;

/**
 * Steps after which version 16 reads a table of patterns.
 *
 * @param columns Steps that give the tables the specified columns. Invalid rows leave before, with their values.
 * @param quarantines True if patterns that stay unreadable are quarantined; otherwise they stop the migration.
 * @throws Stop if an obstacle exists.
 */
export function patternSteps(
  database: Database,
  survey: PatternSurvey | null,
  columns: readonly Step[],
  quarantines: boolean,
): Step[] {
  if (survey === null) return [];
  const { repaired, unreadable } = survey;
  const values = repaired.reduce((sum, row) => sum + row.values.length, 0);
  const steps: Step[] = [];
  if (columns.length + repaired.length + unreadable.length > 0) assertUsageFollows(database);
  if (quarantines && unreadable.length > 0) {
    assertQuarantineIsOurs(database);
    assertUnreferenced(database, survey.unreadable);
    steps.push({
      title: `move ${countText(unreadable.length, "invalid pattern")} and ${agreeing(unreadable.length, "its", "their")} usage to quarantine (${QUARANTINE_TABLE})`,
      changes: quarantinedRows(database, survey),
      run: (connection) => quarantinePatterns(connection, survey),
    });
  }
  steps.push(...columns);
  if (values > 0) {
    assertNameIsOurs(database, REPAIRED_VALUES);
    assertUnreferenced(database, repaired.filter(getsId), "get other ids");
    steps.push({
      title: `repair ${countText(values, "value")} of ${countText(repaired.length, "pattern")}; the table ${REPAIRED_VALUES_TABLE} keeps the original ${agreeing(values, "value", "values")}`,
      changes: repairedRows(database, survey),
      run: (connection) => repair(connection, survey),
    });
  }
  return steps;
}

/** Other tables cannot refer to rows that leave or get other ids; usage goes along. */
function assertUnreferenced(database: Database, rows: readonly { key: string }[], fate?: string): void {
  const columns = columnsOfTable(database, "patterns");
  assertRowsUnreferenced(database, { name: "patterns", columns }, rowsWith(database, rows), "pattern_usage", fate);
}

const getsId = ({ values }: PatternSurvey["repaired"][number]): boolean => values.some(({ column }) => column === "id");

/** SQL that is true for the rows of the table `patterns` with these keys. */
function rowsWith(database: Database, rows: readonly { key: string }[]): string {
  const key = keyOf(database);
  const keys = sqlText(JSON.stringify(rows.map((row) => row.key)));
  return `${key} IN (SELECT ${valueOf(key, "value")} FROM json_each(${keys}))`;
}

/** Patterns and usage that leave their tables. */
function quarantinedRows(database: Database, { unreadable }: PatternSurvey): RowChange[] {
  const where = rowsWith(database, unreadable);
  const isTheirs = `+pattern_id IN (SELECT id FROM main.patterns WHERE ${where})`;
  return [
    { table: "patterns", kind: "delete", where },
    ...(hasTable(database, "pattern_usage")
      ? [{ table: "pattern_usage", kind: "delete", where: isTheirs } as const]
      : []),
  ];
}

/** Patterns whose values change, and usage that follows a new id. */
function repairedRows(database: Database, { repaired }: PatternSurvey): RowChange[] {
  const columns = [...new Set(repaired.flatMap(({ values }) => values.map(({ column }) => column)))];
  const renamed = `+pattern_id IN (SELECT id FROM main.patterns WHERE ${rowsWith(database, repaired.filter(getsId))})`;
  return [
    { table: "patterns", kind: "update", columns, where: rowsWith(database, repaired) },
    ...(columns.includes("id") && hasTable(database, "pattern_usage")
      ? [{ table: "pattern_usage", kind: "update", columns: ["pattern_id"], where: renamed } as const]
      : []),
  ];
}

/** The column that identifies the rows of the table `patterns`. */
function keyOf(database: Database): string {
  return hasRowid(database, "patterns") ? rowIdName("patterns", columnsOfTable(database, "patterns")) : "id";
}

/** SQL for the value of the column that identifies a row, from its key: a row id is text, in which no digit is lost. */
const valueOf = (column: string, key: string): string => (column === "id" ? idOfKey(key) : `CAST(${key} AS INTEGER)`);

function repair(database: Database, { repaired }: PatternSurvey): void {
  database.exec(REPAIRED_VALUES.create);
  database.exec(REPAIRED_VALUES_INDEX);
  const number = nextNumber(database);
  const key = keyOf(database);
  const row = `${sqlName(key)} = ${valueOf(key, "?")}`;
  const statements = new Map(
    [...new Set(repaired.flatMap(({ values }) => values.map(({ column }) => column)))].map((column) => [
      column,
      {
        keep: database.prepare(
          `INSERT INTO main.${REPAIRED_VALUES_TABLE} SELECT ?, ?, ?, ${sqlName(column)}, ? FROM main.patterns WHERE ${row}`,
        ),
        change: database.prepare(`UPDATE main.patterns SET ${sqlName(column)} = ? WHERE ${row}`),
      },
    ]),
  );
  changeRows(database, PATTERN_TABLES, () => {
    for (const { key: of, id, values } of repaired) {
      for (const { column, value } of values) {
        statements.get(column)?.keep.run(number, id, column, value, of);
        statements.get(column)?.change.run(value, of);
      }
    }
    if (repaired.some(getsId)) moveUsage(database, number);
  });
}

/** Column of the quarantine for the former row id. */
const ROW_COLUMN = "perdura_row";

/** Columns of the quarantine for the rows of one of the tables. */
export function patternQuarantineColumns(columns: readonly string[]): { source: string; reason: string; row: string } {
  const { source, reason } = quarantineColumns({ columns: [...columns], names: { metadata: null } });
  const taken = columns.some((column) => column.toLowerCase() === ROW_COLUMN);
  return { source, reason, row: taken ? `${ROW_COLUMN}_2` : ROW_COLUMN };
}

const QUARANTINED_KEYS = "temp.perdura_quarantined_keys";

function quarantinePatterns(database: Database, { unreadable }: PatternSurvey): void {
  const key = keyOf(database);
  database.exec(
    `CREATE TABLE ${QUARANTINED_KEYS} (row ${key === "id" ? "BLOB" : "INTEGER"} PRIMARY KEY, reason TEXT) WITHOUT ROWID`,
  );
  try {
    const insert = database.prepare(`INSERT INTO ${QUARANTINED_KEYS} VALUES (${valueOf(key, "?")}, ?)`);
    for (const { key: row, reason } of unreadable) insert.run(row, reason);
    changeRows(database, PATTERN_TABLES, () => {
      const usage = hasTable(database, "pattern_usage");
      const isQuarantined = `${sqlName(key)} IN (SELECT row FROM ${QUARANTINED_KEYS})`;
      // Usage of an id that a remaining pattern also has stays. Without the affinity of its own column, usage refers
      // to the same pattern as by a foreign key.
      const isTheirs = `+pattern_id IN (SELECT p.id FROM main.patterns AS p WHERE p.${isQuarantined}) AND +pattern_id NOT IN (SELECT p.id FROM main.patterns AS p WHERE p.id IS NOT NULL AND NOT p.${isQuarantined})`;
      const reason = `(SELECT reason FROM ${QUARANTINED_KEYS} WHERE row = entry.${sqlName(key)})`;
      const rows = move(database, "patterns", isQuarantined, reason);
      if (usage) {
        const uses = move(database, "pattern_usage", isTheirs, sqlText("its pattern is in quarantine"));
        runForRows(database, "pattern_usage", `DELETE FROM main.pattern_usage WHERE ${isTheirs}`, uses);
      }
      runForRows(database, "patterns", `DELETE FROM main.patterns WHERE ${isQuarantined}`, rows);
    });
  } finally {
    database.exec(`DROP TABLE ${QUARANTINED_KEYS}`);
  }
}

/** Copies rows into the quarantine, with all columns unchanged, and returns their number. */
function move(database: Database, table: (typeof PATTERN_TABLES)[number], condition: string, reason: string): number {
  const columns = columnsOfTable(database, table);
  const names = patternQuarantineColumns(columns);
  const rowId = hasRowid(database, table) ? sqlName(rowIdName(table, columns)) : "NULL";
  const into = [names.source, names.reason, names.row, ...columns];
  const values = [sqlText(table), reason, rowId, ...columns.map(sqlName)];
  addQuarantineColumns(database, into);
  return database
    .prepare(
      `INSERT INTO main.${QUARANTINE_TABLE} (${sqlNames(into)}) SELECT ${values.join(", ")} FROM main.${table} AS entry WHERE ${condition} ORDER BY 3`,
    )
    .run().changes;
}
