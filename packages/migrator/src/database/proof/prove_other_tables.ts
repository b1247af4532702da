import { lacksLevels } from "../layouts/metrics_table.ts";
import { isRollupTable } from "@perdura/internals/metrics/rollup/handover.js";
import { hasRowid, hasTable } from "@perdura/internals/sqlite/catalog.js";
import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { sqlName, sqlText } from "@perdura/internals/text/quoted_sql.js";
import type { InPieces } from "../../core/progress.ts";
import type { VerificationReport } from "../../core/report.ts";
import { rowsText } from "../../core/rows_text.ts";
import { differentPatternTables } from "../layouts/pattern_tables.ts";
import { canMoveUsage, newIdOfUsage } from "../patterns/assigned_ids.ts";
import { columnsOfTable, PATTERN_TABLES, patternQuarantineColumns } from "../patterns/pattern_steps.ts";
import { originalValue } from "../record/converted_values.ts";
import { nextNumber, OWN_TABLES } from "../record/migration_record.ts";
import { columnsOfQuarantine, QUARANTINE_TABLE } from "../record/quarantine.ts";
import { hasRepairedValues, KEPT_LEVELS_TABLE, REPAIRED_VALUES_TABLE } from "../record/side_tables.ts";
import { convertedValue } from "@perdura/internals/validity/column_values.js";
import { rowIdName } from "../sql/row_id.ts";
import { allOf, anyOf, sameValue } from "../sql/sql_text.ts";
import {
  type Comparison,
  countAll,
  countUnequal,
  countUnequalInPieces,
  rowsDiffer,
  type Subject,
} from "./comparison.ts";
import { missingCollation } from "./unreadable_tables.ts";

/** A row of `pragma_table_list`. */
interface ListedTable {
  name: string;
  type: string;
  /** 1 for tables without row ids. */
  wr: 0 | 1;
}

/**
 * Proves that tables that do not concern the migration are unchanged, row by row. Tables of extensions have no rows of
 * their own; their shadow tables are compared. The user's triggers may write to such tables. Later, programs write to such tables: then their changes are not
 * differences.
 */
export function* proveOtherTables(subject: Subject): InPieces<{
  tables: VerificationReport["other_tables"];
  differences: string[];
}> {
  const { database, later } = subject;
  const listed = otherTables(subject);
  const present = new Set(database.prepare("SELECT name FROM pragma_table_list WHERE schema = 'main'").pluck().all());
  const differences: string[] = [];
  const tables: VerificationReport["other_tables"] = [];
  for (const table of listed) {
    const rows = countAll(database, "backup", table.name);
    // The proof of the schema reports a missing table.
    if (later && !present.has(table.name) && isLibrary(table.name))
      differences.push(`the table ${table.name} is missing`);
    const changed = provePatterns(subject, table.name);
    const unequal = present.has(table.name)
      ? yield* unequalRows(database, table, changed?.unchanged, convertedColumns(database, table.name))
      : rows;
    const lossy = later || !isLibrary(table.name) ? 0 : countUnderivable(database, table, changed?.unchanged);
    if (lossy > 0) differences.push(`the original values of ${rowsText(lossy)} of ${table.name} are not recorded`);
    const after = present.has(table.name) ? countAll(database, "main", table.name) : 0;
    // Rows are added to the tables of an earlier run.
    const grows = OWN_TABLES.has(table.name.toLowerCase()) && after > rows;
    if (!later) differences.push(...(changed?.differences ?? []));
    const stay = rows - (changed?.quarantined ?? 0);
    const isWritten = subject.written.has(table.name.toLowerCase());
    if (!later && !isWritten && (unequal > 0 || (after !== stay && !grows)))
      differences.push(`${rowsDiffer(unequal, table.name)}; ${rowsText(rows)} before, ${after} after`);
    const { quarantined = 0, repaired = 0 } = changed ?? {};
    tables.push({ table: table.name, rows, quarantined, repaired, changed_since: later || isWritten ? unequal : 0 });
  }
  return { tables, differences };
}

/** The tables of the backup, except for those of the interactions. */
export function otherTables({ database, before, second }: Subject): ListedTable[] {
  const handled = [
    before?.name.toLowerCase(),
    second?.name.toLowerCase(),
    before === null ? undefined : "interaction_metadata",
    lacksLevels(before, second) ? KEPT_LEVELS_TABLE : undefined,
  ];
  return tablesOfBackup(database).filter(({ name }) => !handled.includes(name.toLowerCase()));
}

/**
 * All tables of the backup with rows of their own, except for those of the rollup, which are derived from the
 * interactions, and for those that SQLite cannot read here.
 */
export function tablesOfBackup(database: Database): ListedTable[] {
  const tables = database
    .prepare(
      `SELECT listed.name, listed.type, wr, sql FROM pragma_table_list AS listed LEFT JOIN backup.sqlite_schema AS made
       ON made.name = listed.name AND made.type = 'table' WHERE schema = 'backup'`,
    )
    .all() as (ListedTable & { sql: string | null })[];
  return tables.filter(
    ({ name, type, sql }) =>
      (type === "table" || type === "shadow") &&
      !name.startsWith("sqlite_") &&
      !isRollupTable(name, sql) &&
      missingCollation(database, name, "backup") === undefined,
  );
}

/** True for tables that no program drops; the user may drop their own ones. */
function isLibrary(table: string): boolean {
  return table === "patterns" || table === "pattern_usage";
}

/** Columns that are compared in another way. */
interface ComparedColumns {
  compared?: Comparison["left"]["compared"];
  /** Lower-case names of columns that the database does not have. */
  without?: readonly string[];
}

/** The columns of a pattern library whose types the migration changed. */
function convertedColumns(database: Database, table: string): ComparedColumns {
  const types = differentPatternTables(database, "backup").find(({ name }) => name === table.toLowerCase())?.otherTypes;
  const now = differentPatternTables(database).find(({ name }) => name === table.toLowerCase())?.otherTypes;
  if (types === undefined || (now !== undefined && now.length > 0)) return {};
  return {
    compared: (column, value) => {
      const type = types.find((other) => other.column === column);
      return type && convertedValue(type.kind, value);
    },
  };
}

/** Counts the rows whose original values in converted columns a downgrade could not derive. */
function countUnderivable(database: Database, table: ListedTable, where?: string): number {
  const changed = differentPatternTables(database, "backup").find(({ name }) => name === table.name.toLowerCase());
  if (changed === undefined || changed.otherTypes.length === 0 || table.wr === 1) return 0;
  const number = nextNumber(database, "backup");
  const columns = changed.otherTypes.map(({ column }) => column);
  const key = rowIdName(table.name, columnsOfTable(database, table.name));
  const { unequal } = countUnequal(database, {
    left: { schema: "backup", table: table.name, columns },
    right: {
      schema: "main",
      table: table.name,
      columns,
      compared: (column, value) => {
        const type = changed.otherTypes.find((other) => other.column === column);
        return type && originalValue(database, { table: changed.name, type, number }, "main", "r.id", value);
      },
    },
    keys: [[key, key]],
    where,
  });
  return unequal;
}

/**
 * Number of rows of a table of the backup that have no equal row in the database.
 *
 * @param where Rows to compare; SQL over the alias `l` of the backup.
 */
export function* unequalRows(
  database: Database,
  table: ListedTable,
  where?: string,
  { compared, without = [] }: ComparedColumns = {},
): InPieces<number> {
  const listed = database.prepare("SELECT name, pk FROM pragma_table_xinfo(?, 'backup')").all(table.name) as {
    name: string;
    pk: number;
  }[];
  const columns = listed.map(({ name }) => name).filter((name) => !without.includes(name.toLowerCase()));
  const now = database.prepare("SELECT name FROM pragma_table_xinfo(?, 'main')").pluck().all(table.name) as string[];
  const rowId = table.wr === 1 ? null : rowIdName(table.name, [...columns, ...now]);
  const keys = rowId === null ? listed.filter(({ pk }) => pk > 0).map(({ name }) => name) : [rowId];
  const side = { table: table.name, columns };
  const comparison: Comparison = {
    left: { ...side, schema: "backup", compared },
    right: { ...side, schema: "main" },
    keys: keys.map((key) => [key, key] as const),
    where,
  };
  const { unequal } =
    rowId === null ? countUnequal(database, comparison) : yield* countUnequalInPieces(database, comparison, rowId);
  return unequal;
}

/** Effect of a migration on the rows of a table of patterns. */
interface ChangedPatterns {
  /** SQL over the alias `l` of the backup that is true for rows that must be unchanged. */
  unchanged: string;
  /** Number of rows that were quarantined. */
  quarantined: number;
  /** Number of values that were repaired. */
  repaired: number;
  /** Rows in the quarantine, and repaired ones, that are not as expected. */
  differences: string[];
}

/**
 * Proves the rows of a table of patterns that the migration changed: each is unchanged in the quarantine, or differs
 * from the original in the recorded values only. Undefined if it changed none.
 *
 * @param table Its name in the backup.
 */
function provePatterns({ database }: Subject, table: string): ChangedPatterns | undefined {
  const name = PATTERN_TABLES.find((known) => known === table.toLowerCase());
  if (name === undefined || !hasTable(database, name)) return undefined;
  const columns = columnsOfTable(database, name, "backup");
  const rowId = hasRowid(database, name) ? rowIdName(name, columns) : null;
  const inQuarantine = quarantinedOf(database, name, columns, rowId);
  const number = nextNumber(database, "backup");
  const repaired = repairsOf(database, name, number, rowId);
  if (inQuarantine === undefined && repaired === undefined) return undefined;
  return {
    unchanged: allOf([
      ...(inQuarantine === undefined ? [] : [`NOT (${inQuarantine.isQuarantined})`]),
      ...(repaired === undefined ? [] : [`NOT (${repaired.isRepaired})`]),
    ]),
    quarantined: inQuarantine?.rows ?? 0,
    repaired: repaired?.values ?? 0,
    differences: [
      ...(inQuarantine === undefined || inQuarantine.unequal === 0
        ? []
        : [rowsDiffer(inQuarantine.unequal, QUARANTINE_TABLE, `the original in ${name}`)]),
      ...(repaired === undefined
        ? []
        : repairedDifferences(database, name, columns, repaired, inQuarantine?.isQuarantined)),
    ],
  };
}

/** Rows with values that a migration since the backup repaired, and the proof of such a row. */
interface RepairedRows {
  /** SQL over the alias `l` of the backup. */
  isRepaired: string;
  /** The column that identifies a row of the database. */
  key: string;
  /** SQL over `l` for its value. */
  value: string;
  /** SQL over both that is true if the change of a column is recorded. */
  isRecorded: (column: string, before: string, after: string) => string;
  /** Number of recorded values. */
  values: number;
}

/** Undefined if no value of the table was repaired. */
function repairsOf(
  database: Database,
  name: (typeof PATTERN_TABLES)[number],
  number: number,
  rowId: string | null,
): RepairedRows | undefined {
  if (!hasRepairedValues(database)) return undefined;
  if (name === "pattern_usage") {
    if (!canMoveUsage(database)) return undefined;
    const id = newIdOfUsage(number, "l.pattern_id");
    return {
      isRepaired: `${id} IS NOT NULL`,
      key: rowId ?? "id",
      value: `l.${rowId ?? "id"}`,
      isRecorded: (column, _before, after) => (column === "pattern_id" ? sameValue(after, `(${id})`) : "false"),
      values: 0,
    };
  }
  const values = database
    .prepare(`SELECT count(*) FROM main.${REPAIRED_VALUES_TABLE} WHERE number >= ?`)
    .pluck()
    .get(number) as number;
  if (values === 0) return undefined;
  const record = `FROM main.${REPAIRED_VALUES_TABLE} AS v WHERE v.number >= ${number}`;
  // A row of a table without row ids is found by its id, which can be a new one.
  const newId = `ifnull((SELECT v.repaired ${record} AND v.column_name = 'id' AND v.original = l.id), l.id)`;
  return {
    isRepaired:
      rowId === null
        ? `${newId} IN (SELECT v.pattern_id ${record})`
        : `l.${rowId} IN (SELECT p.${rowId} FROM main.patterns AS p WHERE p.id IN (SELECT v.pattern_id ${record}))`,
    key: rowId ?? "id",
    value: rowId === null ? newId : `l.${rowId}`,
    isRecorded: (column, before, after) =>
      `EXISTS (SELECT 1 ${record} AND v.pattern_id = r.id AND v.column_name = ${sqlText(column)} AND ${sameValue("v.original", before)} AND ${sameValue("v.repaired", after)})`,
    values,
  };
}

interface QuarantinedRows {
  /** SQL over the alias `l` of the backup. */
  isQuarantined: string;
  rows: number;
  unequal: number;
}

/** The rows that were quarantined since the backup; undefined without any. */
function quarantinedOf(
  database: Database,
  name: (typeof PATTERN_TABLES)[number],
  columns: readonly string[],
  rowId: string | null,
): QuarantinedRows | undefined {
  const present = columnsOfQuarantine(database, "main");
  const { source, row } = patternQuarantineColumns(columns);
  const lower = new Set(present?.map((column) => column.toLowerCase()));
  if (present === undefined || ![source, row, ...columns].every((column) => lower.has(column.toLowerCase())))
    return undefined;
  const own = rowIdName(QUARANTINE_TABLE, present);
  const earlier =
    columnsOfQuarantine(database, "backup") === undefined
      ? "0"
      : `(SELECT ifnull(max(${own}), 0) FROM backup.${QUARANTINE_TABLE})`;
  const mine = (alias: string): string =>
    `${alias}.${sqlName(source)} = ${sqlText(name)} AND ${alias}.${own} > ${earlier}`;
  const [key, kept] = rowId === null ? [sqlName("id"), sqlName("id")] : [rowId, sqlName(row)];
  const { rows, unequal } = countUnequal(database, {
    left: { schema: "main", table: QUARANTINE_TABLE, columns },
    right: { schema: "backup", table: name, columns },
    keys: [[rowId === null ? "id" : row, rowId ?? "id"]],
    where: mine("l"),
  });
  if (rows === 0) return undefined;
  return {
    isQuarantined: `l.${key} IN (SELECT q.${kept} FROM main.${QUARANTINE_TABLE} AS q WHERE ${mine("q")})`,
    rows,
    unequal,
  };
}

/** Proves that a repaired row differs from the original only in values whose original is recorded. */
function repairedDifferences(
  database: Database,
  name: (typeof PATTERN_TABLES)[number],
  columns: readonly string[],
  { isRepaired, key, value, isRecorded }: RepairedRows,
  isQuarantined: string | undefined,
): string[] {
  const { compared } = convertedColumns(database, name);
  const differs = anyOf(
    columns.map((column) => {
      const [before, after] = [`l.${sqlName(column)}`, `r.${sqlName(column)}`];
      const one = `(${compared?.(column, before) ?? before})`;
      return `NOT (${sameValue(one, after)}) AND NOT ${isRecorded(column.toLowerCase(), before, after)}`;
    }),
  );
  const there = isQuarantined === undefined ? "true" : `NOT (${isQuarantined})`;
  const unequal = database
    .prepare(
      `SELECT count(*) FROM backup.${name} AS l LEFT JOIN main.${name} AS r ON r.${key} = ${value} WHERE ${isRepaired} AND ${there} AND (r.${key} IS NULL OR ${differs})`,
    )
    .pluck()
    .get() as number;
  return unequal === 0 ? [] : [`${rowsDiffer(unequal, name)} in values that were not repaired`];
}
