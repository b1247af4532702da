import { hasRowid, hasTable } from "@perdura/internals/sqlite/catalog.js";
import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { sqlName, sqlText } from "@perdura/internals/text/quoted_sql.js";
import { convertedValue } from "@perdura/internals/validity/column_values.js";
import { rowsText } from "../../core/rows_text.ts";
import { differentPatternTables, type PatternTable } from "../layouts/pattern_tables.ts";
import { canMoveUsage, newIdOfUsage } from "../patterns/assigned_ids.ts";
import { PATTERN_TABLES, patternQuarantineColumns } from "../patterns/pattern_steps.ts";
import { repairedColumns, valueBeforeRepair } from "../patterns/repaired_values.ts";
import { originalValue } from "../record/converted_values.ts";
import { nextNumber } from "../record/migration_record.ts";
import { columnsOfQuarantine, QUARANTINE_TABLE, quarantinedSince } from "../record/quarantine.ts";
import { REPAIRED_VALUES_TABLE } from "../record/side_tables.ts";
import { columnsOfTable, includesAll } from "../sql/catalog.ts";
import { countFrom } from "../sql/count_from.ts";
import { rowIdName } from "../sql/row_id.ts";
import { sameValue } from "../sql/sql_text.ts";
import { type Compared, countUnequal, rowsDiffer } from "./comparison.ts";
import type { TableChange } from "./prove_other_tables.ts";
import type { Subject } from "./subject.ts";

/** A table of a pattern library, as the migrations since the backup found it. */
interface FormerTable {
  database: Database;
  name: (typeof PATTERN_TABLES)[number];
  columns: readonly string[];
  /** The name of the row id; null for a table without one. */
  rowId: string | null;
  /** The first migration since. */
  number: number;
  otherTypes: PatternTable["otherTypes"];
}

/**
 * The effect of migrations since the backup on a table: rows of patterns are unchanged in the quarantine, or differ from
 * the original in the recorded values only.
 */
export function migratedPatterns({ database, later }: Subject, table: string): TableChange {
  const name = PATTERN_TABLES.find((known) => known === table.toLowerCase());
  if (name === undefined || !hasTable(database, name)) return {};
  const columns = columnsOfTable(database, name, "backup");
  const found = differentPatternTables(database, "backup").find((one) => one.name === name);
  const former: FormerTable = {
    database,
    name,
    columns,
    rowId: hasRowid(database, name) ? rowIdName(name, columns) : null,
    number: nextNumber(database, "backup"),
    otherTypes: found?.otherTypes ?? [],
  };
  const left = quarantinedOf(former);
  const stays = left === undefined ? undefined : `NOT (${left.isQuarantined})`;
  const lossy = later ? 0 : countUnderivable(former, stays);
  return {
    stays,
    converted: valueNow(former),
    former: valueUnrepaired(former),
    quarantined: left?.rows ?? 0,
    repaired: name === "patterns" ? countRepaired(former) : 0,
    differences: [
      ...(lossy === 0 ? [] : [`the original values of ${rowsText(lossy)} of ${table} are not recorded`]),
      ...(left === undefined || left.unequal === 0
        ? []
        : [rowsDiffer(left.unequal, QUARANTINE_TABLE, `the original in ${name}`)]),
    ],
  };
}

/** Converted values, and new ids where they tell which row of the database it is, or which pattern. */
function valueNow({ database, name, rowId, number, otherTypes }: FormerTable): Compared {
  const now = differentPatternTables(database).find((one) => one.name === name)?.otherTypes ?? [];
  const types = now.length === 0 ? otherTypes : [];
  const moves = name === "pattern_usage" && canMoveUsage(database);
  const isKey = rowId === null && name === "patterns" && isRepaired(database, number, "id");
  return (column, stored) => {
    const type = types.find((other) => other.column === column);
    const value = type === undefined ? stored : convertedValue(type.kind, stored);
    if (moves && column.toLowerCase() === "pattern_id") return `ifnull(${newIdOfUsage(number, value)}, ${value})`;
    if (isKey && column.toLowerCase() === "id")
      return `ifnull((SELECT v.repaired FROM main.${REPAIRED_VALUES_TABLE} AS v WHERE v.number >= ${number} AND v.column_name = 'id' AND ${sameValue("v.original", value)}), ${value})`;
    return value;
  };
}

/** Values before a repair; not the ids that {@link valueNow} replaces. */
function valueUnrepaired({ database, name, rowId, number }: FormerTable): Compared {
  const repaired = name === "patterns" ? repairedColumns(database, "main", number) : [];
  return (column, value) => {
    const lower = column.toLowerCase();
    if (!repaired.includes(lower) || (rowId === null && lower === "id")) return undefined;
    return valueBeforeRepair({ schema: "main", number }, lower, "r", value);
  };
}

function isRepaired(database: Database, number: number, column: string): boolean {
  return repairedColumns(database, "main", number).includes(column);
}

function countRepaired({ database, number }: FormerTable): number {
  if (repairedColumns(database, "main", number).length === 0) return 0;
  return countFrom(database, `main.${REPAIRED_VALUES_TABLE} WHERE number >= ${number}`);
}

/** Counts the rows whose original values in converted columns a downgrade could not derive. */
function countUnderivable(former: FormerTable, where: string | undefined): number {
  const { database, name, rowId, number, otherTypes } = former;
  if (otherTypes.length === 0 || rowId === null) return 0;
  const unrepaired = valueUnrepaired(former);
  const side = { table: name, columns: otherTypes.map(({ column }) => column) };
  const { unequal } = countUnequal(database, {
    left: { ...side, schema: "backup" },
    right: {
      ...side,
      schema: "main",
      compared: (column, stored) => {
        const value = unrepaired(column, stored) ?? stored;
        const type = otherTypes.find((other) => other.column === column);
        return type && originalValue(database, { table: name, type, number }, "main", "r.id", value);
      },
    },
    keys: [[rowId, rowId]],
    where,
  });
  return unequal;
}

interface QuarantinedRows {
  /** SQL over the alias `l` of the backup. */
  isQuarantined: string;
  rows: number;
  unequal: number;
}

/** The rows that were quarantined since the backup; undefined without any. */
function quarantinedOf({ database, name, columns, rowId }: FormerTable): QuarantinedRows | undefined {
  const present = columnsOfQuarantine(database, "main");
  const { source, row } = patternQuarantineColumns(columns);
  if (present === undefined || !includesAll(present, [source, row, ...columns])) return undefined;
  const mine = (alias: string): string =>
    `${alias}.${sqlName(source)} = ${sqlText(name)} AND ${quarantinedSince(database, present, alias)}`;
  const [key, kept] = rowId === null ? ["id", "id"] : [rowId, row];
  const { rows, unequal } = countUnequal(database, {
    left: { schema: "main", table: QUARANTINE_TABLE, columns },
    right: { schema: "backup", table: name, columns },
    keys: [[kept, key]],
    where: mine("l"),
  });
  if (rows === 0) return undefined;
  return {
    isQuarantined: `l.${sqlName(key)} IN (SELECT q.${sqlName(kept)} FROM main.${QUARANTINE_TABLE} AS q WHERE ${mine("q")})`,
    rows,
    unequal,
  };
}
